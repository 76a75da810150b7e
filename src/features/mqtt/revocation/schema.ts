/** Schemas of receipts. */
import Type, { type Static } from 'typebox'
import {
  Flag,
  Id,
  Integer,
  NamedObject,
  Nullable,
  Text,
  Time,
  Timestamp,
  waitQuery,
} from '../../common/shapes.ts'
import { TemplateRules } from '../../common/topic-rule.ts'

export const ReceiptNode = Type.Object({
  name: Text('`embedded/…` for a process of the service, or the name of an external broker.'),
  denied_at: Nullable(
    Time('The time from which the node refuses a CONNECT with the revoked rights.'),
  ),
  cache_purged_at: Nullable(Time('The time from which the node caches no older decision.')),
  sessions_cut: Integer('The number of sessions ended on this node.'),
  sessions_cut_at: Nullable(Timestamp),
  verified_at: Nullable(
    Time(
      'The time of the verification: no session has the revoked rights, and a probe with them is refused. Null until then.',
    ),
  ),
  gone_at: Nullable(Time('The time when the process was found dead. Its sessions ended with it.')),
  problem: Nullable(Type.String(), 'The reason why the revocation is not verified yet, if known.'),
})

export const ReceiptView = NamedObject('RevokeReceipt', {
  id: Id('rcp'),
  workspace_id: Id('ws'),
  reason: Text(
    'The action that caused the revocation, as in the audit log, or `asked` for a requested check.',
  ),
  subject: Nullable(
    Type.String(),
    'The device (`dev_…`), principal (`mqp_…`), phone login (`mqm_…`), template (`tpl_…`) or job (`job_…`); null if it concerns the whole workspace.',
  ),
  requested_at: Timestamp,
  complete: Flag('Whether each node has verified the revocation or is gone.'),
  nodes: Type.Array(ReceiptNode),
})
export type ReceiptView = Static<typeof ReceiptView>

export const WaitForReceipt = Type.Object({
  ...waitQuery('until the receipt is complete'),
})

/**
 * Marks a receipt as being about rules only: principals that lost nothing are left alone, and
 * nobody is refused. Without members it concerns its subject; else the devices of a template that
 * lose rights, or the listed devices, by UUID.
 */
export const Narrowed = Type.Object({
  template: Type.Optional(
    Type.Object({ before: Nullable(TemplateRules), after: Nullable(TemplateRules) }),
  ),
  devices: Type.Optional(Type.Array(Type.String())),
})
export type Narrowed = Static<typeof Narrowed>
