/** The operation that reads events. */
import type { Services } from '../../../context.ts'
import { operationOf } from '../../../platform/http/operation.ts'
import { readFeed, followFeed } from './event-feed.ts'
import type { EventServices } from './event-watch.ts'
import { EventFeedPage, EventView, ReadFeed } from './schema.ts'

const eventOperation = operationOf<Services & EventServices>()

export const eventOperations = [
  eventOperation({
    id: 'readEvents',
    route: 'GET /workspaces/:id/events',
    tag: 'Events',
    summary: 'Read the event feed',
    description:
      'Every event of the workspace, in order and without gaps. An event commits in the same transaction as its change, and the events of one device keep their order. Store `next_cursor` in the same transaction as your results, and pass it as `after`: then you process every event, even after a crash. A response can have fewer items than `limit`, even none: with `types` it examines at most 5,000 events, and it ends before changes that are not yet committed. With `wait`, the request waits for the next event if there is none yet. If retention has deleted events after the position, the request is refused with `events_gone`. With `Accept: text/event-stream` the response is a stream of server-sent events: the existing events, then each new one, with its type as `event` and the position after it as `id`. A client that reconnects with `Last-Event-ID` misses no event. `limit` and `wait` have no effect on a stream.',
    access: ['user', 'platform-key'] as const,
    permission: 'events.read',
    query: ReadFeed,
    returns: { 200: EventFeedPage },
    fails: ['invalid_cursor', 'events_gone'],
    run: (context, { query }) => readFeed(context, query),
    live: {
      message: EventView,
      run: (context, { query }, stream) => followFeed(context, query, stream),
    },
  }),
]
