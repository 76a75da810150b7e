/** Reading and verifying the audit log. */
import type { Context } from '../../../context.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { timeOf } from '../../../platform/lib/time.ts'
import { type FilterNode, is } from '../../../platform/lib/filter-node.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { rowView } from '../../common/row-view.ts'
import { timestamp } from '../../common/shapes.ts'
import { verifyChain } from './audit-log-verification.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'
import { INSTALLATION } from '../../../platform/record/event.ts'

const viewOf = rowView<store.AuditEntryRow>()(schema.AuditEntryView, {
  actor: (row) => ({ kind: row.actor_kind, id: row.actor_id }),
  resource: ({ resource_kind: kind, resource_id: id }) =>
    kind === null || id === null ? null : { kind, id },
  hash: ({ hash }) => hash?.toString('hex') ?? null,
})

const nodesOf = ({ from, to }: schema.AuditLogQuery): FilterNode[] => [
  ...(from ? [is('occurred_at', '>=', timestamp(timeOf(from)))] : []),
  ...(to ? [is('occurred_at', '<', timestamp(timeOf(to)))] : []),
]

/** Newest first. A page examines a limited number of entries and may end early with a cursor. */
export const listAuditLog = (context: Context, query: schema.AuditLogQuery) =>
  listFiltered(context, query, {
    name: 'audit-log',
    fields: schema.auditFields,
    conditions: { actor: query.actor, action: query.action, resource: query.resource },
    also: nodesOf(query),
    pageOf: store.pageOfAuditLog,
    view: viewOf,
  })

/** Verification is expensive: one at a time per workspace and process. */
const verifying = new Set<string>()

function anchorIn({ anchor_seq: seq, anchor_hash: hash }: schema.VerifyQuery) {
  if (seq === undefined && hash === undefined) return undefined
  if (seq === undefined) throw invalid('/query/anchor_seq', 'is required with anchor_hash')
  if (hash === undefined) throw invalid('/query/anchor_hash', 'is required with anchor_seq')
  return { seq, hash }
}

/** @throws Failure verification_in_progress */
export async function verifyAuditLog(
  context: Context,
  query: schema.VerifyQuery,
): Promise<schema.Verification> {
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

/** Entries that concern no workspace are in a chain of their own. */
const ofInstallation = (context: Context): Context => ({ ...context, workspaceId: INSTALLATION })

export const listInstallationAudit = (context: Context, query: schema.AuditLogQuery) =>
  listAuditLog(ofInstallation(context), query)

/** @throws Failure verification_in_progress */
export const verifyInstallationAudit = (context: Context, query: schema.VerifyQuery) =>
  verifyAuditLog(ofInstallation(context), query)
