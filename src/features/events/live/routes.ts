/** The operation that notifies pages of changes. */
import type { Services } from '../../../context.ts'
import { operationOf } from '../../../platform/http/operation.ts'
import type { LiveServices } from './live-hub.ts'
import { listTopics, watchWorkspace } from './live-watch.ts'
import { LiveHint, LiveTopics, WatchLive } from './schema.ts'

const liveOperation = operationOf<Services & LiveServices>()

export const liveOperations = [
  liveOperation({
    id: 'watchLive',
    route: 'GET /workspaces/:id/live',
    tag: 'Events',
    summary: 'Watch for changes',
    description:
      'Server-sent events for pages, for every role: hints that something has changed, so that a page can read it again. Each hint is sent only to callers who may read what it names. The stream begins with `ready`, which means that later changes are reported: read the data of the page now. Then `changed` names a resource, what is known about it, and the types of its events; hints about one resource are merged, at most four a second. `skipped` means that hints were lost, because too many resources changed or the client read too slowly: read the data of the page again. There is no history and no guarantee; the event feed has both. A stream ends when the credential expires or is revoked, or the rights of the caller change. Without `Accept: text/event-stream` the response names what the stream would report.',
    access: ['user', 'platform-key'] as const,
    permission: 'workspace.read',
    query: WatchLive,
    returns: { 200: LiveTopics },
    run: async (context, { query }) => listTopics(context, query),
    live: {
      message: LiveHint,
      run: (context, { query }, stream) => watchWorkspace(context, query, stream),
    },
  }),
]
