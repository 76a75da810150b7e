/** The operation that reads events. */
import type { Services } from '../../../context.ts'
import { answer, idParam, operationOf } from '../../../platform/http/operation.ts'
import { readFeed } from './event-feed.ts'
import type { EventServices } from './event-watch.ts'
import { followFeed } from './live-feed.ts'
import { EventFeedPage, EventView, ReadFeed } from './schema.ts'

const eventOperation = operationOf<Services & EventServices>()

export const eventOperations = [
  eventOperation({
    id: 'readEvents',
    method: 'GET',
    path: '/workspaces/:id/events',
    tag: 'Events',
    summary: 'Read the event feed',
    description:
      'Every event of the workspace, in order and without gaps: an event commits with its change, and those of one device keep their order. Keep `next_cursor` together with what you made of the items, and pass it as `after`; so each event comes to you, whatever stops on the way. An answer may have fewer items than `limit`, even none: it looks at 5,000 events at most when `types` are named, and ends before changes that are still being written. With `wait` an empty answer waits for something to happen. A position whose following events have been deleted by retention is refused with `events_gone`, never passed over in silence. Asked with `Accept: text/event-stream` it goes on as server-sent events: the events that are there, then each as it comes, with its type as `event` and the position behind it as `id`. A client that comes again with `Last-Event-ID` misses none. `limit` and `wait` mean nothing then.',
    access: ['user', 'platform-key'] as const,
    permission: 'events.read',
    params: { id: idParam('ws', 'workspace_not_found') },
    query: ReadFeed,
    returns: { 200: EventFeedPage },
    fails: ['invalid_cursor', 'events_gone'],
    run: async (context, { query }) => answer(200, await readFeed(context, query)),
    live: {
      message: EventView,
      run: (context, { query }, stream) => followFeed(context, query, stream),
    },
  }),
]
