/** The event feed: each event once, in order, without gaps. */
import { performance } from 'node:perf_hooks'
import type { KnownCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { readPage } from '../../common/paging.ts'
import { latestPosition, readFrom, readPosition, encodePosition, viewOf } from './event-reading.ts'
import { readTypes } from './event-types.ts'
import type { EventServices } from './event-watch.ts'
import type { EventFeedPage, ReadFeed } from './schema.ts'

type FeedContext = Context<KnownCaller> & EventServices

/** Reads from a cursor; if there is nothing, waits without holding a connection. */
export async function readFeed(context: FeedContext, query: ReadFeed): Promise<EventFeedPage> {
  const { keyring, workspaceId, request, eventWatch } = context
  const types =
    query.types === undefined ? undefined : readTypes(query.types.split(','), '/query/types')
  const mac = (text: string): Buffer => keyring.mac('cursor', text)
  const { limit } = readPage({ ...(query.limit && { limit: query.limit }) }, '', mac)
  const closed = new AbortController()
  const deadline = performance.now() + (query.wait ?? 0) * 1000
  if (query.wait) request.onClose(() => closed.abort())
  let position =
    query.after === 'latest'
      ? await latestPosition(context.safeSequence)
      : readPosition(workspaceId, query.after, mac)
  for (;;) {
    const { events, next } = await readFrom(context, position, { types, limit })
    position = next
    const left = deadline - performance.now()
    const goOn =
      events.length === 0 && (await eventWatch.next(workspaceId, next, left, closed.signal))
    if (goOn) continue
    return {
      items: events.map((row) => viewOf(workspaceId, row)),
      next_cursor: encodePosition(workspaceId, next, mac),
    }
  }
}
