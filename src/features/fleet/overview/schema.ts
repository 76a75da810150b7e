/** Schema of the overview of a workspace. */
import Type, { type Static } from 'typebox'
import { BoundedCount } from '../../common/bounded-count.ts'

export const MAX_EXAMPLES = 3

/** The most urgent first. */
export const attentionKinds = [
  'certificate_expired',
  'domain_lapsed',
  'webhook_disabled',
  'rotation_halted',
  'device_client_id_conflict',
  'login_client_id_conflict',
  'domain_failing',
  'renewal_failed',
  'certificate_expiring',
  'issuance_failed',
  'webhook_failing',
  'domain_unverified',
] as const

const Attention = Type.Object({
  kind: Type.Enum([...attentionKinds], {
    description:
      '`webhook_disabled`: by the service, not by a person. `webhook_failing`: paused, because its receiver does not answer. `rotation_halted`: a rotation campaign in which too many devices have failed; it waits for a decision. `device_client_id_conflict`, `login_client_id_conflict`: two programs use one client id, so their sessions replace each other: at least five times in the last five minutes, and still in the last one. `domain_unverified`: it could not be verified yet. `domain_failing`: its record is missing, and it will lapse. `certificate_expiring`: within 30 days and nobody renews it, or its renewal is late. `issuance_failed`, `renewal_failed`: the last order.',
  }),
  count: Type.Integer(),
  examples: Type.Array(
    Type.Object({
      id: Type.String({
        description:
          '`whk_…`, `cmp_…`, `dev_…`, `mqp_…`, or `dom_…` of a domain or of its certificate.',
      }),
      name: Type.String({
        description: 'Of a campaign, which has no name, its filter; empty if it has none.',
      }),
    }),
    { description: `The first ${MAX_EXAMPLES} by name.` },
  ),
})
export type Attention = Static<typeof Attention>

export const Overview = Type.Object(
  {
    devices: Type.Object({
      total: BoundedCount,
      connected: BoundedCount,
      claimed: BoundedCount,
      registered: BoundedCount,
      active: BoundedCount,
      suspended: BoundedCount,
      decommissioned: BoundedCount,
      awaiting_approval: BoundedCount,
    }),
    device_templates: BoundedCount,
    provision_keys: Type.Union([BoundedCount, Type.Null()], {
      description: 'Null for callers who may not read API keys.',
    }),
    open_jobs: BoundedCount,
    attention: Type.Array(Attention, {
      description:
        'Webhooks, rotation campaigns, clients, domains and certificates that do not work or soon will not, the most urgent kind first; of what the caller may read.',
    }),
    refusals: Type.Array(
      Type.Object({
        reason: Type.String({ description: 'As in the connection log of a device.' }),
        devices: Type.Integer(),
        logins: Type.Integer(),
        attempts: Type.Integer(),
      }),
      {
        description:
          'The attempts of devices and MQTT logins to connect that were refused in the last hour, by reason, the most frequent first. At most the newest 10,000 entries of the connection logs of either are counted.',
      },
    ),
  },
  { title: 'Overview' },
)
export type Overview = Static<typeof Overview>
