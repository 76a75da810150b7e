/** Schemas of the event feed. */
import Type, { type Static } from 'typebox'
import { pageQuery } from '../../common/paging.ts'
import { Id, Timestamp } from '../../common/shapes.ts'

export const ReadFeed = Type.Object({
  limit: pageQuery.limit,
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      description:
        '`next_cursor` of the answer before, or `latest`: only what comes from now on. Without it the feed begins with the oldest event that is kept.',
    }),
  ),
  types: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      description:
        'Only events of these types, separated by commas; `device.*` stands for all that begin so. The cursor is good for other types too.',
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      description: 'Seconds to wait for an event, if there is none yet. None, if left out.',
    }),
  ),
})
export type ReadFeed = Static<typeof ReadFeed>

export const EventView = Type.Object(
  {
    id: Id('evt'),
    type: Type.String({ description: 'What happened, such as `device.registered`.' }),
    workspace_id: Id('ws'),
    occurred_at: Timestamp,
    data: Type.Object({}, { additionalProperties: true }),
  },
  { title: 'Event' },
)
export type EventView = Static<typeof EventView>

export const EventFeedPage = Type.Object({
  items: Type.Array(EventView),
  next_cursor: Type.String({
    description:
      'Where to go on: the next `after`. It is always there, since a feed has no last page.',
  }),
})
export type EventFeedPage = Static<typeof EventFeedPage>
