/** Schema of the overview of a workspace. */
import Type, { type Static } from 'typebox'
import { BoundedCount } from '../../common/bounded-count.ts'

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
    provision_keys: BoundedCount,
    open_jobs: BoundedCount,
    refusals: Type.Array(
      Type.Object({
        reason: Type.String({ description: 'As in the connection log of a device.' }),
        devices: Type.Integer(),
        attempts: Type.Integer(),
      }),
      {
        description:
          'The attempts of devices to connect that were refused in the last hour, by reason, the most frequent first. At most the newest 10,000 entries of the connection logs are counted.',
      },
    ),
  },
  { title: 'Overview' },
)
export type Overview = Static<typeof Overview>
