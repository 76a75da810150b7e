/** Schemas of rotation campaigns: settings, progress and devices. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { selection } from '../../common/device-selection.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, Nullable, Timestamp } from '../../common/shapes.ts'

const waveSize = Type.Integer({
  minimum: 1,
  maximum: 100_000,
  description: 'Devices of a wave. Either this or `wave_percent`.',
})
const wavePercent = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'The part of all devices that makes a wave.',
})

export const CreateRotationCampaign = Type.Object({
  ...selection,
  wave_size: Type.Optional(waveSize),
  wave_percent: Type.Optional(wavePercent),
  pause_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 300,
      description: 'Seconds from the end of a wave to the next.',
    }),
  ),
  confirm_within_s: Type.Optional(
    Type.Integer({
      minimum: 30,
      maximum: 604_800,
      default: 3_600,
      description:
        'Seconds that a device has, from when it is online after it was asked, to have used a new secret.',
    }),
  ),
  max_failure_rate: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.05,
      description:
        'Failed of all that failed or confirmed. If the finished waves have more, the campaign halts.',
    }),
  ),
})
export type CreateRotationCampaign = Static<typeof CreateRotationCampaign>

const statuses = [
  'preparing',
  'running',
  'paused',
  'halted',
  'completed',
  'cancelled',
  'failed',
] as const
const CampaignStatus = Type.Enum([...statuses], {
  description:
    '`preparing` while its devices are gathered; `halted` by too many failures; `completed` when the last wave is over. `failed`: it could not be prepared.',
})
export type CampaignStatus = Static<typeof CampaignStatus>

const count = (description: string) => Type.Integer({ description })

export const RotationCampaignView = Type.Object(
  {
    id: Id('cmp'),
    workspace_id: Id('ws'),
    filter: Nullable(Type.String()),
    status: CampaignStatus,
    failure: Nullable(Type.String({ description: 'Failure code of a campaign that failed.' })),
    wave_size: Nullable(waveSize),
    wave_percent: Nullable(wavePercent),
    pause_s: Type.Integer(),
    confirm_within_s: Type.Integer(),
    max_failure_rate: Type.Number(),
    wave: Type.Integer({ description: 'The newest wave; 0 before the first.' }),
    counts: Type.Object({
      total: count('All devices of the campaign.'),
      due: count('Not asked yet.'),
      waiting: count('Asked, and not online since.'),
      notified: count('Asked, and online since.'),
      rotated: count('They have got a new secret and have not used it yet.'),
      confirmed: count('They have used a new secret; the old one is dead.'),
      failed: count('Online, but without a new secret in use in time; or gone.'),
    }),
    created_by: Nullable(Type.String({ description: 'Id of the user or key.' })),
    created_at: Timestamp,
    ended_at: Nullable(Timestamp),
  },
  { title: 'RotationCampaign' },
)
export type RotationCampaignView = Static<typeof RotationCampaignView>

export const campaignFields: ListFields = {
  status: { type: 'word', words: statuses },
  created_by: { type: 'text' },
  created_at: { type: 'time' },
  ended_at: { type: 'time' },
}

export const ListRotationCampaigns = Type.Object({
  ...pageQuery,
  filter: FilterText(campaignFields),
})
export type ListRotationCampaigns = Static<typeof ListRotationCampaigns>

const deviceStatuses = ['due', 'waiting', 'notified', 'rotated', 'confirmed', 'failed'] as const
const CampaignDeviceStatus = Type.Enum([...deviceStatuses])
export type CampaignDeviceStatus = Static<typeof CampaignDeviceStatus>

const failureCodes = ['device_not_found', 'invalid_transition', 'not_confirmed'] as const

export const CampaignDeviceView = Type.Object(
  {
    device_id: Id('dev'),
    device_key: Nullable(Type.String({ description: 'Null when the device is gone.' })),
    status: CampaignDeviceStatus,
    wave: Nullable(Type.Integer()),
    code: Nullable(
      Type.Enum([...failureCodes], {
        description:
          'Why it failed: it is gone, it was decommissioned, or it did not confirm in time.',
      }),
    ),
    asked_at: Nullable(Timestamp),
    ended_at: Nullable(Timestamp),
  },
  { title: 'RotationCampaignDevice' },
)
export type CampaignDeviceView = Static<typeof CampaignDeviceView>

export const campaignDeviceFields: ListFields = {
  device_id: { type: 'id', prefix: 'dev' },
  status: { type: 'word', words: deviceStatuses },
  code: { type: 'word', words: failureCodes },
  asked_at: { type: 'time' },
  ended_at: { type: 'time' },
}

export const ListCampaignDevices = Type.Object({
  ...pageQuery,
  filter: FilterText(campaignDeviceFields),
  status: Type.Optional(CampaignDeviceStatus),
})
export type ListCampaignDevices = Static<typeof ListCampaignDevices>
