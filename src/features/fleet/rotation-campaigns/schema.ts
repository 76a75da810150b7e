/** Schemas of rotation campaigns: settings, progress and devices. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { selection } from '../../common/device-selection.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, Integer, NamedObject, Nullable, Time, Timestamp } from '../../common/shapes.ts'

const waveSize = Type.Integer({
  minimum: 1,
  maximum: 100_000,
  description: 'The number of devices in a wave. Send either this or `wave_percent`.',
})
const wavePercent = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'The size of a wave, as a percentage of all devices.',
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
      description: 'Seconds between the end of a wave and the start of the next.',
    }),
  ),
  confirm_within_s: Type.Optional(
    Type.Integer({
      minimum: 30,
      maximum: 604_800,
      default: 3_600,
      description:
        'Seconds within which a device must use a new secret, counted from when it is online after the request.',
    }),
  ),
  max_failure_rate: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.05,
      description:
        'The share of failed devices among all that have ended. If the finished waves exceed it, the campaign halts.',
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
    '`preparing` while the devices are collected; `halted` after too many failures; `completed` after the last wave. `failed`: the campaign could not be prepared.',
})
export type CampaignStatus = Static<typeof CampaignStatus>

const count = (description: string) => Type.Integer({ description })

export const RotationCampaignView = NamedObject('RotationCampaign', {
  id: Id('cmp'),
  workspace_id: Id('ws'),
  filter: Nullable(Type.String()),
  status: CampaignStatus,
  failure: Nullable(Type.String(), 'Failure code of a campaign that failed.'),
  wave_size: Nullable(waveSize),
  wave_percent: Nullable(wavePercent),
  pause_s: Type.Integer(),
  confirm_within_s: Type.Integer(),
  max_failure_rate: Type.Number(),
  wave: Integer('The newest wave; 0 before the first.'),
  counts: Type.Object({
    total: count('All devices of the campaign.'),
    due: count('Devices that were not asked yet.'),
    waiting: count('Devices that were asked and were not online since.'),
    notified: count('Devices that were asked and were online since.'),
    rotated: count(
      'Devices that received a new secret, and no use of it is known. A broker that keeps ' +
        'passwords reports none (`keeps_passwords` of the endpoints).',
    ),
    confirmed: count('Devices that used a new secret; the old secret is invalid.'),
    failed: count(
      'Devices that were online but did not use a new secret in time, or were deleted.',
    ),
  }),
  created_by: Nullable(Type.String(), 'Id of the user or key.'),
  created_at: Timestamp,
  ended_at: Nullable(Timestamp),
})
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

export const CampaignDeviceView = NamedObject('RotationCampaignDevice', {
  device_id: Id('dev'),
  device_key: Nullable(Type.String(), 'Null if the device was deleted.'),
  status: CampaignDeviceStatus,
  wave: Nullable(Type.Integer()),
  code: Nullable(
    Type.Enum([...failureCodes]),
    'The reason of the failure: the device was deleted, it was decommissioned, or it did not confirm in time.',
  ),
  asked_at: Nullable(Timestamp),
  confirm_by: Nullable(
    Time(
      'The time by which the device must use a new secret, or it fails: `confirm_within_s` after it was online. Null until it has been online.',
    ),
  ),
  ended_at: Nullable(
    Time(
      'The time at which the device confirmed or failed. Where a broker keeps passwords, a device that has connected again since it received a new secret ends as `rotated`.',
    ),
  ),
})
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
