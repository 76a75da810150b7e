/** Schemas of usage reports. */
import Type, { type Static } from 'typebox'
import { pageQuery } from '../../common/paging.ts'
import { Id, Nullable, TimeInput, Timestamp } from '../../common/shapes.ts'

const range = {
  from: Type.Optional(
    TimeInput(
      'RFC 3339. The hour, day or month (in UTC) that holds it is the first one. Without it: 24 hours, 30 days or 12 months before `to`.',
    ),
  ),
  to: Type.Optional(
    TimeInput(
      'RFC 3339, later than `from`; what begins at it or after it is left out. Now, if left out. At most 31 days after `from` by the hour, 366 days by the day, and 60 months by the month.',
    ),
  ),
  granularity: Type.Optional(
    Type.Enum(['hour', 'day', 'month'], { default: 'day', description: '`day`, if left out.' }),
  ),
  by: Type.Optional(
    Type.Enum(['template'], { description: 'Tells each device template of a period by itself.' }),
  ),
}

export const ReadUsage = Type.Object({ ...range, ...pageQuery })
export type ReadUsage = Static<typeof ReadUsage>

export const ExportUsage = Type.Object(range)
export type ExportUsage = Static<typeof ExportUsage>

export const UsagePeriod = Type.Object(
  {
    starts_at: Timestamp,
    ends_at: Timestamp,
    template_id: Nullable(
      Id(
        'tpl',
        'With `by=template`; null: clients that have no template, and all calls of the API.',
      ),
    ),
    connected_devices: Type.Integer({
      description:
        'The greatest number of devices that were connected at once. That of a day or a month is the greatest of its hours.',
    }),
    messages: Type.Integer({
      description: 'MQTT messages that clients published, and that were handed to clients.',
    }),
    bytes: Type.Integer({ description: 'The payloads of these messages.' }),
    api_calls: Type.Integer(),
    is_closed: Type.Boolean({
      description: 'Whether nothing is added any more: invoices are made of such periods.',
    }),
  },
  { title: 'UsagePeriod' },
)
export type UsagePeriod = Static<typeof UsagePeriod>
