/** Reading and verifying the audit log. */
import type { KnownCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { timeFilters } from './audit-log-times.ts'
import { requireEqual, fingerprintOf, type ListNode } from '../../../platform/lib/list-filter.ts'
import { readFilterOf } from '../../common/filter-text.ts'
import { pageUpTo, readPage } from '../../common/paging.ts'
import { timestamp } from '../../common/shapes.ts'
import { verifyChain } from './audit-log-verification.ts'
import {
  type AuditEntryView,
  type AuditLogQuery,
  auditFields,
  type Verification,
  type VerifyQuery,
} from './schema.ts'
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

/** Combines parameters and filter. */
function nodeOf({
  filter,
  actor,
  action,
  resource,
  from,
  to,
}: AuditLogQuery): ListNode | undefined {
  const times: ListNode[] = []
  const at = timeFilters({ ...(from && { from }), ...(to && { to }) })
  const field = 'occurred_at'
  if (at.from) times.push({ kind: 'is', field, test: '>=', value: at.from })
  if (at.to) times.push({ kind: 'is', field, test: '<', value: at.to })
  const asked = readFilterOf(filter, auditFields)
  const parts = asked ? [asked, ...times] : times
  const both: ListNode | undefined = parts.length > 1 ? { kind: 'and', parts } : parts[0]
  return requireEqual(both, { actor, action, resource })
}

/** Newest first. A page examines a limited number of entries and may end early with a cursor. */
export async function listAuditLog(
  context: Context<KnownCaller>,
  query: AuditLogQuery,
): Promise<{ items: AuditEntryView[]; next_cursor: string | null }> {
  const { db, keyring, workspaceId } = context
  const node = nodeOf(query)
  const list = `audit-log ${workspaceId} ${fingerprintOf(node)}`
  const mac = (text: string): Buffer => keyring.mac('cursor', text)
  const page = readPage(query, list, mac)
  const found = await store.pageOfAuditLog(db, workspaceId, { ...page, node })
  return pageUpTo(found, list, mac, viewOf)
}

/** Verification is expensive: one at a time per workspace and process. */
const verifying = new Set<string>()

function anchorIn({ anchor_seq: seq, anchor_hash: hash }: VerifyQuery) {
  if (seq === undefined && hash === undefined) return undefined
  if (seq === undefined) throw invalid('/query/anchor_seq', 'is required with anchor_hash')
  if (hash === undefined) throw invalid('/query/anchor_hash', 'is required with anchor_seq')
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
