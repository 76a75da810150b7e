/** Schemas of usage reports. */
import Type, { type Static } from 'typebox'
import { pageQuery } from '../../common/paging.ts'
import {
  Flag,
  Id,
  Integer,
  NamedObject,
  Nullable,
  TimeInput,
  Timestamp,
} from '../../common/shapes.ts'

const range = {
  from: Type.Optional(
    TimeInput(
      'RFC 3339. The hour, day or month (in UTC) that contains it is the first period. Default: 24 hours, 30 days or 12 months before `to`.',
    ),
  ),
  to: Type.Optional(
    TimeInput(
      'RFC 3339, later than `from`. Periods that begin at or after it are omitted. Default: the current time. At most 31 days after `from` by the hour, 366 days by the day, and 60 months by the month.',
    ),
  ),
  granularity: Type.Optional(
    Type.Enum(['hour', 'day', 'month'], { default: 'day', description: 'Default: `day`.' }),
  ),
  by: Type.Optional(
    Type.Enum(['template'], {
      description: '`template` returns one item for each device template in a period.',
    }),
  ),
}

export const ReadUsage = Type.Object({ ...range, ...pageQuery })
export type ReadUsage = Static<typeof ReadUsage>

export const ExportUsage = Type.Object(range)
export type ExportUsage = Static<typeof ExportUsage>

export const UsagePeriod = NamedObject('UsagePeriod', {
  starts_at: Timestamp,
  ends_at: Timestamp,
  template_id: Nullable(
    Id(
      'tpl',
      'Present with `by=template`. Null: clients without a template, and all API requests.',
    ),
  ),
  connected_devices: Integer(
    'The highest number of devices connected at the same time. The value of a day or a month is its highest hourly value.',
  ),
  messages: Integer('MQTT messages published by clients and delivered to clients.'),
  bytes: Integer('The payload bytes of these messages.'),
  api_calls: Type.Integer(),
  is_closed: Flag('Whether the period is final. Invoices use only final periods.'),
})
export type UsagePeriod = Static<typeof UsagePeriod>

/** How long counts below the hour are kept. */
export const HOURS_OF_STEPS = 24

export const ReadConnectionSeries = Type.Object({
  hours: Type.Integer({
    minimum: 1,
    maximum: 744,
    default: 24,
    description: 'The number of hours, including the current one.',
  }),
  step: Type.Enum(['hour', 'five_minutes'], {
    default: 'hour',
    description: `The length of a period. \`five_minutes\` is available only for the last ${HOURS_OF_STEPS} hours.`,
  }),
})
export type ReadConnectionSeries = Static<typeof ReadConnectionSeries>

export const ConnectionSeries = NamedObject('ConnectionSeries', {
  items: Type.Array(
    Type.Object({
      starts_at: Timestamp,
      connected_devices: Integer(
        'The highest number of devices connected at the same time in that period.',
      ),
    }),
    { description: 'One for each period in UTC, oldest first; the last one has not ended.' },
  ),
})
export type ConnectionSeries = Static<typeof ConnectionSeries>
