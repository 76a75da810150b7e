/** The rules of reading the audit log. */
import type { KnownCaller } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { Failure, invalid } from '../../errors.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { formatId } from '../../lib/ids.ts'
import { timeFilters } from './audit-log-times.ts'
import { pageOf, readPage } from '../paging.ts'
import { timestamp } from '../shapes.ts'
import { verifyChain } from './audit-log-verification.ts'
import type { AuditEntryView, AuditLogQuery, Verification, VerifyQuery } from './schema.ts'
import * as store from './store.ts'

function viewOf(row: store.AuditEntryRow): AuditEntryView {
  const { resource_kind: kind, resource_id: id } = row
  return {
    id: formatId('aud', row.id),
    occurred_at: timestamp(row.occurred_at),
    actor: { kind: row.actor_kind, id: row.actor_id },
    action: row.action,
    resource: kind === null || id === null ? null : { kind, id },
    request_id: row.request_id,
    address: row.address,
    detail: row.detail,
    seq: row.seq,
    hash: row.hash?.toString('hex') ?? null,
  }
}

/** Newest first. */
export async function listAuditLog(
  context: Context<KnownCaller>,
  query: AuditLogQuery,
): Promise<{ items: AuditEntryView[]; next_cursor: string | null }> {
  const { db, keyring, workspaceId } = context
  const { limit: _limit, cursor: _cursor, ...filters } = query
  const list = `audit-log ${workspaceId} ${canonicalJson(filters)}`
  const mac = (text: string): Buffer => keyring.mac('cursor', text)
  const page = readPage(query, list, mac)
  const { actor, action, resource } = filters
  const conditions: store.AuditFilters = {
    ...timeFilters(query),
    ...(page.after !== undefined && { after: page.after }),
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(resource !== undefined && { resource }),
  }
  const rows = await store.pageOfAuditLog(db, workspaceId, conditions, page.limit + 1)
  return pageOf(rows, page, list, mac, (row) => row.id, viewOf)
}

/** Walking a chain is work for the database: one at a time for each workspace and process. */
const verifying = new Set<string>()

function anchorIn({ anchor_seq: seq, anchor_hash: hash }: VerifyQuery) {
  if (seq === undefined && hash === undefined) return undefined
  if (seq === undefined) throw invalid('/query/anchor_seq', 'is missing beside anchor_hash')
  if (hash === undefined) throw invalid('/query/anchor_hash', 'is missing beside anchor_seq')
  return { seq, hash }
}

/** @throws Failure verification_in_progress */
export async function verifyAuditLog(
  context: Context<KnownCaller>,
  query: VerifyQuery,
): Promise<Verification> {
  const { workspaceId } = context
  const anchor = anchorIn(query)
  if (verifying.has(workspaceId)) {
    throw new Failure('verification_in_progress', { retryAfterSeconds: 1 })
  }
  verifying.add(workspaceId)
  try {
    return await verifyChain(context, workspaceId, { from: query.from_seq, anchor })
  } finally {
    verifying.delete(workspaceId)
  }
}
