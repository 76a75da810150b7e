/** Schemas of the event feed. */
import Type, { type Static } from 'typebox'
import { pageQuery } from '../../common/paging.ts'
import { Id, NamedObject, Nullable, Text, Timestamp, waitQuery } from '../../common/shapes.ts'

export const ReadFeed = Type.Object({
  limit: pageQuery.limit,
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      description:
        '`next_cursor` of the previous response, or `latest` for new events only. By default the feed starts with the oldest stored event.',
    }),
  ),
  newest: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description:
        'Without `after`: the feed starts this number of events before the end, instead of with the oldest. With `types` or `device_id`, only matching events among the last 5,000 count.',
    }),
  ),
  types: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      description:
        'Only events of these types, separated by commas; `device.*` matches all types with this prefix. The cursor is also valid with other types.',
    }),
  ),
  device_id: Type.Optional(
    Id(
      'dev',
      'Only events of this device and of its commands, also after its deletion. The cursor is also valid for other devices.',
    ),
  ),
  ...waitQuery('for an event if there is none yet'),
})
export type ReadFeed = Static<typeof ReadFeed>

export const EventView = NamedObject('Event', {
  id: Id('evt'),
  type: Text('The type of the event, such as `device.registered`.'),
  workspace_id: Id('ws'),
  occurred_at: Timestamp,
  data: Type.Object({}, { additionalProperties: true }),
})
export type EventView = Static<typeof EventView>

/** Where an event is in the feed. */
export const Position = Type.Object({
  seq: Type.Number(),
  /** UUID. */
  id: Type.String(),
})
export type Position = Static<typeof Position>

const EventRow = Type.Object({
  ...Position.properties,
  type: Type.String(),
  /** UUID of the device whose events keep their order, if any. */
  subject_id: Nullable(Type.String()),
  /** Milliseconds since the epoch. */
  occurred_at: Type.Number(),
  data: Type.Record(Type.String(), Type.Unknown()),
  /** The trace in which the event was recorded, if there was one (W3C Trace Context). */
  traceparent: Type.Optional(Nullable(Type.String())),
})
export type EventRow = Static<typeof EventRow>

/** A page of events, as a statement composes it. */
export const EventRows = Type.Array(EventRow)

export const EventFeedPage = Type.Object({
  items: Type.Array(EventView),
  next_cursor: Text('The next value of `after`. Always present, because a feed has no last page.'),
})
export type EventFeedPage = Static<typeof EventFeedPage>
