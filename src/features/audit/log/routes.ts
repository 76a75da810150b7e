/** The operations on the audit log. */
import Type from 'typebox'
import { operationGroup, type Services, streamOperation } from '../../../context.ts'
import { operationOf } from '../../../platform/http/operation.ts'
import { respond } from '../../../platform/http/reply.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { type AnchorServices, anchorNow, listAnchors } from './audit-anchor.ts'
import { exportAuditLog } from './audit-log-export.ts'
import { listAuditLog, verifyAuditLog } from './audit-log.ts'
import * as schema from './schema.ts'

const operation = operationGroup({ tag: 'Audit log', access: ['user', 'platform-key'] })

const anchorOperation = operationOf<Services & AnchorServices>()

const access = ['user', 'platform-key'] as const
const tag = 'Audit log'

export const auditOperations = [
  operation({
    id: 'listAuditLog',
    route: 'GET /workspaces/:id/audit-log',
    summary: 'List the audit log',
    description:
      'Every change with its actor and address, and refused uses of credentials of the workspace, newest first. At most 5,000 entries are examined for one page. A page can therefore have fewer items than `limit`, even none, and still have a `next_cursor`. An entry commits in the same transaction as its change, and cannot be changed or deleted through this API. New entries are appended to the hash chain twice a second.\n\nThe `hash` of an entry is SHA-256 over the 32 bytes of the hash before it, followed by the canonical JSON (RFC 8785) of `{action, actor_id, actor_kind, address, detail, id, occurred_at, request_id, resource_id, resource_kind, seq, workspace_id}`. The first entry follows on SHA-256 of the id of the workspace.',
    permission: 'audit.read',
    query: schema.AuditLogQuery,
    returns: { 200: Page(schema.AuditEntryView) },
    run: (context, { query }) => listAuditLog(context, query),
  }),
  operation({
    id: 'verifyAuditLog',
    route: 'GET /workspaces/:id/audit-log/verify',
    summary: 'Verify the audit log',
    description:
      'Recomputes the hash chain from the stored entries. `valid` is false if an entry was changed, removed, inserted or moved, or if the head of the chain is not the stored one; `first_bad_seq` and `reason` identify the defect. One call examines at most 1,000,000 entries; `next_from_seq` is the start of the next call. With the `seq` and `hash` of an anchor it also checks that the chain still contains the anchor: an attacker with the database and the master key could recompute a changed chain, but not change an anchor that is stored in another place. Only one verification per workspace runs at a time.',
    permission: 'audit.read',
    query: schema.VerifyQuery,
    returns: { 200: schema.Verification },
    fails: ['verification_in_progress'],
    run: (context, { query }) => verifyAuditLog(context, query),
  }),
  streamOperation({
    id: 'exportAuditLog',
    route: 'GET /workspaces/:id/audit-log/export',
    tag,
    summary: 'Export the audit log',
    description:
      'Every entry of the chain in order, one line of NDJSON each, with all hashed members and the hash, so that anyone can verify the export without this service. Entries between the first and the last are never omitted, so a few entries just outside `from` and `to` can be included. An interrupted export lacks the end of its transfer coding; continue it with `from_seq`.',
    access,
    permission: 'audit.read',
    query: schema.ExportQuery,
    stream: { formats: ['ndjson'], filename: 'audit-log' },
    row: schema.ExportedEntry,
    run: (context, { query }) => exportAuditLog(context, query),
  }),
  operation({
    id: 'listAuditAnchors',
    route: 'GET /workspaces/:id/audit-log/anchors',
    summary: 'List the anchors of the audit log',
    description:
      'Published heads of the chain, newest first. Store them where the operator of this service cannot change them. `audit-log/verify` accepts them.',
    permission: 'audit.read',
    query: Type.Object(pageQuery),
    returns: { 200: Page(schema.AuditAnchor) },
    run: (context, { query }) => listAnchors(context, query),
  }),
  anchorOperation({
    id: 'anchorAuditLog',
    route: 'POST /workspaces/:id/audit-log/anchors',
    tag,
    summary: 'Anchor the audit log now',
    description:
      'Signs the head of the chain and publishes it, also as an event `audit.anchored`. This also happens periodically. If the head already has an anchor, that one is returned (200).',
    access,
    permission: 'audit.anchor',
    returns: { 200: schema.AuditAnchor, 201: schema.AuditAnchor },
    fails: ['audit_log_empty', 'audit_chain_broken'],
    async run(context) {
      const { anchor, isNew } = await anchorNow(context)
      return isNew ? respond(201, anchor) : respond(200, anchor)
    },
  }),
]
