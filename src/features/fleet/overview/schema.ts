/** Schema of the overview of a workspace. */
import Type, { type Static } from 'typebox'
import { BoundedCount } from '../../common/bounded-count.ts'
import { NamedObject, Text } from '../../common/shapes.ts'

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
      '`webhook_disabled`: the service, not a person, disabled the webhook. `webhook_failing`: the webhook is paused, because its receiver does not respond. `rotation_halted`: too many devices of a rotation campaign have failed, and it waits for a decision. `device_client_id_conflict`, `login_client_id_conflict`: two programs use one client id, so their sessions replace each other: at least five times in the last five minutes, and at least once in the last minute. `domain_unverified`: the domain could not be verified yet. `domain_failing`: the record of the domain is missing, and the domain will lapse. `certificate_expiring`: the certificate expires within 30 days and is not renewed automatically, or its renewal is late. `issuance_failed`, `renewal_failed`: the last order failed.',
  }),
  count: Type.Integer(),
  examples: Type.Array(
    Type.Object({
      id: Text('`whk_…`, `cmp_…`, `dev_…`, `mqp_…`, or `dom_…` of a domain or of its certificate.'),
      name: Text(
        'The name. A campaign has none; its filter is returned instead, which can be empty.',
      ),
    }),
    { description: `The first ${MAX_EXAMPLES} items by name.` },
  ),
})
export type Attention = Static<typeof Attention>

export const Overview = NamedObject('Overview', {
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
      'Webhooks, rotation campaigns, clients, domains and certificates that fail or will fail soon, as far as the caller may read them, the most urgent kind first.',
  }),
  refusals: Type.Array(
    Type.Object({
      reason: Text('The reason, with the values of the connection log of a device.'),
      devices: Type.Integer(),
      logins: Type.Integer(),
      attempts: Type.Integer(),
    }),
    {
      description:
        'The refused connection attempts of devices and MQTT logins in the last hour, by reason, the most frequent first. At most the newest 10,000 entries of each of the two connection logs are counted.',
    },
  ),
})
export type Overview = Static<typeof Overview>
