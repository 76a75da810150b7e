/** The operations on the audit log. */
import { operation } from '../../context.ts'
import { answer, idParam } from '../../http/operation.ts'
import { Page } from '../paging.ts'
import { listAuditLog, verifyAuditLog } from './audit-log.ts'
import { AuditEntryView, AuditLogQuery, Verification, VerifyQuery } from './schema.ts'

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
      'Every change, with who made it and from where, newest first; refused uses of credentials of the workspace too. An entry commits with its change, can not be altered or deleted through this API, and is sealed into the hash chain within about a second.\n\nThe `hash` of an entry is SHA-256 over the 32 bytes of the hash before it, followed by the canonical JSON (RFC 8785) of `{action, actor_id, actor_kind, address, detail, id, occurred_at, request_id, resource_id, resource_kind, seq, workspace_id}`. The first entry follows on SHA-256 of the id of the workspace.',
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
      'Computes the hash chain anew from the stored entries. `valid` is false when an entry was altered, taken out, put in or moved, or when the head of the chain is not the one that was written; `first_bad_seq` and `reason` say where and how. One call looks at 1,000,000 entries at most; `next_from_seq` says where the next one goes on. One call at a time is answered for a workspace.',
    access,
    permission: 'audit.read',
    params: workspace,
    query: VerifyQuery,
    returns: { 200: Verification },
    fails: ['verification_in_progress'],
    run: async (context, { query }) => answer(200, await verifyAuditLog(context, query.from_seq)),
  }),
]
