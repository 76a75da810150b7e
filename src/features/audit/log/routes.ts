/** The operations on the audit log. */
import Type from 'typebox'
import { operation, type Services, streamOperation } from '../../../context.ts'
import { answer, idParam, operationOf } from '../../../platform/http/operation.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { type AnchorServices, anchorNow, listAnchors } from './audit-anchor.ts'
import { exportAuditLog } from './audit-log-export.ts'
import { listAuditLog, verifyAuditLog } from './audit-log.ts'
import {
  AuditAnchor,
  AuditEntryView,
  AuditLogQuery,
  ExportedEntry,
  ExportQuery,
  Verification,
  VerifyQuery,
} from './schema.ts'

const anchorOperation = operationOf<Services & AnchorServices>()

const access = ['user', 'platform-key'] as const
const tag = 'Audit log'
const workspace = { id: idParam('ws', 'workspace_not_found') }

export const auditOperations = [
  operation({
    id: 'listAuditLog',
    method: 'GET',
    path: '/workspaces/:id/audit-log',
    tag,
    summary: 'List the audit log',
    description:
      'Every change, with who made it and from where, newest first; refused uses of credentials of the workspace too. At most 5,000 entries are looked at for one page: it may have fewer items than `limit`, even none, and yet a `next_cursor`. An entry commits with its change, can not be altered or deleted through this API, and is sealed into the hash chain within about a second.\n\nThe `hash` of an entry is SHA-256 over the 32 bytes of the hash before it, followed by the canonical JSON (RFC 8785) of `{action, actor_id, actor_kind, address, detail, id, occurred_at, request_id, resource_id, resource_kind, seq, workspace_id}`. The first entry follows on SHA-256 of the id of the workspace.',
    access,
    permission: 'audit.read',
    params: workspace,
    query: AuditLogQuery,
    returns: { 200: Page(AuditEntryView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => answer(200, await listAuditLog(context, query)),
  }),
  operation({
    id: 'verifyAuditLog',
    method: 'GET',
    path: '/workspaces/:id/audit-log/verify',
    tag,
    summary: 'Verify the audit log',
    description:
      'Computes the hash chain anew from the stored entries. `valid` is false when an entry was altered, taken out, put in or moved, or when the head of the chain is not the one that was written; `first_bad_seq` and `reason` say where and how. One call looks at 1,000,000 entries at most; `next_from_seq` says where the next one goes on. With the `seq` and `hash` of an anchor it also says whether the chain still has it: whoever has the database and the master key could compute a changed chain anew, and not change an anchor that is elsewhere. One call at a time is answered for a workspace.',
    access,
    permission: 'audit.read',
    params: workspace,
    query: VerifyQuery,
    returns: { 200: Verification },
    fails: ['verification_in_progress'],
    run: async (context, { query }) => answer(200, await verifyAuditLog(context, query)),
  }),
  streamOperation({
    id: 'exportAuditLog',
    path: '/workspaces/:id/audit-log/export',
    tag,
    summary: 'Export the audit log',
    description:
      'Every sealed entry in the order of the chain, a line of NDJSON each: all that is hashed of it, and its hash, so that whoever keeps them can verify them without us. No entry between the first and the last is left out, so at the edges of `from` and `to` there may be some from moments beside. An export that breaks off ends without the end of its transfer coding; `from_seq` goes on.',
    access,
    permission: 'audit.read',
    params: workspace,
    query: ExportQuery,
    stream: { formats: ['ndjson'], filename: 'audit-log' },
    row: ExportedEntry,
    fails: [],
    run: (context, { query }) => exportAuditLog(context, query),
  }),
  operation({
    id: 'listAuditAnchors',
    method: 'GET',
    path: '/workspaces/:id/audit-log/anchors',
    tag,
    summary: 'List the anchors of the audit log',
    description:
      'Published heads of the chain, newest first. Keep them where the operator of this service cannot change them; `audit-log/verify` accepts them.',
    access,
    permission: 'audit.read',
    params: workspace,
    query: Type.Object(pageQuery),
    returns: { 200: Page(AuditAnchor) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => answer(200, await listAnchors(context, query)),
  }),
  anchorOperation({
    id: 'anchorAuditLog',
    method: 'POST',
    path: '/workspaces/:id/audit-log/anchors',
    tag,
    summary: 'Anchor the audit log now',
    description:
      'Signs the head of the chain and publishes it, also as an event `audit.anchored`. This also happens periodically. If the head already has an anchor, that one is returned (200).',
    access,
    permission: 'audit.anchor',
    params: workspace,
    returns: { 200: AuditAnchor, 201: AuditAnchor },
    fails: ['audit_log_empty', 'audit_chain_broken'],
    async run(context) {
      const { anchor, isNew } = await anchorNow(context)
      return isNew ? answer(201, anchor) : answer(200, anchor)
    },
  }),
]
