/** The event feed: each event once, in order, without gaps. */
import { performance } from 'node:perf_hooks'
import type { Context } from '../../../context.ts'
import { limitOf } from '../../common/paging.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import {
  encodePosition,
  latestPosition,
  positionBefore,
  readFrom,
  readPosition,
  viewOf,
} from './event-reading.ts'
import { readTypes } from './event-types.ts'
import type { EventServices } from './event-watch.ts'
import type { EventFeedPage, Position, ReadFeed } from './schema.ts'
import type { LiveMessage, LiveStream } from '../../../platform/http/live-form.ts'
import { messageOf, type Tail } from './event-tail.ts'
import type { Choice } from './store.ts'

type FeedContext = Context & EventServices

/** The selection of a query. */
const choiceOf = ({ types, device_id }: ReadFeed): Choice => ({
  types: types === undefined ? undefined : readTypes(types.split(','), '/query/types'),
  deviceId: device_id === undefined ? undefined : parseId('dev', device_id),
})

/** The part of a request that reading needs, which others have too. */
type ReadContext = Pick<FeedContext, 'db' | 'keyring' | 'safeSequence' | 'workspaceId'>

function startOf(
  context: ReadContext,
  query: ReadFeed,
  after: string | undefined,
): Position | Promise<Position> {
  if (after === 'latest') return latestPosition(context.safeSequence)
  if (after !== undefined || query.newest === undefined) {
    return readPosition(context, after)
  }
  return positionBefore(context, query.newest, choiceOf(query))
}

/** Reads from a cursor; if there is nothing, waits without holding a connection. */
export async function readFeed(context: FeedContext, query: ReadFeed): Promise<EventFeedPage> {
  const { workspaceId, request, eventWatch } = context
  const choice = choiceOf(query)
  const limit = limitOf(query)
  const closed = new AbortController()
  const deadline = performance.now() + (query.wait ?? 0) * 1000
  if (query.wait) request.onClose(() => closed.abort())
  let position = await startOf(context, query, query.after)
  for (;;) {
    const { events, next } = await readFrom(context, position, { ...choice, limit })
    position = next
    const left = deadline - performance.now()
    const isWaiting =
      events.length === 0 && (await eventWatch.next(workspaceId, next, left, closed.signal))
    if (isWaiting) continue
    return {
      items: events.map((row) => viewOf(workspaceId, row)),
      next_cursor: encodePosition(context, next),
    }
  }
}

/** The part of a request that following needs, which others have too. */
type FollowContext = Pick<FeedContext, keyof EventServices | 'db' | 'keyring' | 'workspaceId'>

/** Events per read of a listener that is behind. */
const LIMIT = 50

export async function* followFeed(
  context: FollowContext,
  query: ReadFeed,
  { lastEventId, signal }: LiveStream,
): AsyncGenerator<LiveMessage[]> {
  const { eventTails } = context
  const choice = choiceOf(query)
  const chosen = { ...choice, types: choice.types && new Set(choice.types) }
  let position = await startOf(context, query, lastEventId || query.after)
  const further = async (tail: Tail) => {
    const known = tail.after(position, chosen)
    if (known !== undefined) return known
    const { events, ...rest } = await readFrom(context, position, { ...choice, limit: LIMIT })
    return { messages: events.map((row) => messageOf(context, row)), ...rest }
  }
  const tail = eventTails.listen(context)
  try {
    let beatAt = 0
    while (!signal.aborted && !eventTails.isEnded) {
      const { version } = tail
      const { messages, next, isEnd } = await further(tail)
      position = next
      if (messages.length > 0 || performance.now() >= beatAt) {
        beatAt = performance.now() + eventTails.beatMs
        const id = encodePosition(context, position)
        yield messages.length > 0 ? messages : [{ id }]
      }
      if (isEnd) await tail.grown(version, beatAt - performance.now(), signal)
    }
  } finally {
    tail.leave()
  }
}
