/** The rules of reading the audit log. */
import type { KnownCaller } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { Failure, invalid } from '../../errors.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { formatId, leastUuidAt } from '../../lib/ids.ts'
import { pageOf, readPage } from '../paging.ts'
import { timestamp } from '../shapes.ts'
import { verifyChain } from './audit-log-verification.ts'
import type { AuditEntryView, AuditLogQuery, Verification } from './schema.ts'
import * as store from './store.ts'

const HOUR_MS = 3_600_000

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

function readTime(text: string, name: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw invalid(`/query/${name}`, 'is not a time that exists')
  return ms
}

/**
 * A time is looked up by the entries' ids, which grow with time, and then exactly. The hour around
 * it is more than the clocks of a service and its database, or the length of a transaction, differ.
 */
function timeFilters({ from, to }: AuditLogQuery): store.AuditFilters {
  const filters: store.AuditFilters = {}
  if (from !== undefined) {
    const ms = readTime(from, 'from')
    filters.since = leastUuidAt(ms - HOUR_MS)
    filters.from = timestamp(ms)
  }
  if (to !== undefined) {
    const ms = readTime(to, 'to')
    filters.before = leastUuidAt(ms + HOUR_MS)
    filters.to = timestamp(ms)
  }
  return filters
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

/** @throws Failure verification_in_progress */
export async function verifyAuditLog(
  context: Context<KnownCaller>,
  from: number | undefined,
): Promise<Verification> {
  const { workspaceId } = context
  if (verifying.has(workspaceId)) {
    throw new Failure('verification_in_progress', { retryAfterSeconds: 1 })
  }
  verifying.add(workspaceId)
  try {
    return await verifyChain(context, workspaceId, from)
  } finally {
    verifying.delete(workspaceId)
  }
}
