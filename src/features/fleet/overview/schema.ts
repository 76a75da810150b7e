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
  },
  { title: 'Overview' },
)
export type Overview = Static<typeof Overview>
