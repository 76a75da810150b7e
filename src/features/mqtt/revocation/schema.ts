/** Schemas of receipts. */
import Type, { type Static } from 'typebox'
import { Id, Nullable, Timestamp } from '../../common/shapes.ts'

const ReceiptNode = Type.Object({
  name: Type.String({
    description: '`embedded/…` for a process of the service, or the name of an external broker.',
  }),
  denied_at: Nullable(
    Type.String({ format: 'date-time', description: 'From then on a CONNECT is refused there.' }),
  ),
  cache_purged_at: Nullable(
    Type.String({ format: 'date-time', description: 'No older decision is remembered there.' }),
  ),
  sessions_cut: Type.Integer({ description: 'Sessions that were ended there.' }),
  sessions_cut_at: Nullable(Timestamp),
  verified_at: Nullable(
    Type.String({
      format: 'date-time',
      description:
        'Seen: no session is left that has what was revoked, and a probe is refused it. Null until then.',
    }),
  ),
  gone_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'The process was found dead; its sessions ended with it.',
    }),
  ),
  problem: Nullable(Type.String({ description: 'Why it is not verified yet, where it is known.' })),
})

export const ReceiptView = Type.Object(
  {
    id: Id('rcp'),
    workspace_id: Id('ws'),
    reason: Type.String({
      description: 'The action that revoked, as the audit log names it; or `asked`.',
    }),
    subject: Nullable(
      Type.String({
        description:
          'The device (`dev_…`), principal (`mqp_…`), phone login (`mqm_…`), template (`tpl_…`) or job (`job_…`); null where it concerns the whole workspace.',
      }),
    ),
    requested_at: Timestamp,
    complete: Type.Boolean({ description: 'Each node has verified it, or is gone.' }),
    nodes: Type.Array(ReceiptNode),
  },
  { title: 'RevokeReceipt' },
)
export type ReceiptView = Static<typeof ReceiptView>

export const WaitForReceipt = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      description: 'Seconds to wait for the receipt to be complete. None, if left out.',
    }),
  ),
})
