/**
 * The feed of events: each one once, in the order of their numbers, none left out. It ends where an
 * event could still appear, so what commits late is not passed over.
 */
import { performance } from 'node:perf_hooks'
import type { KnownCaller } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { formatId } from '../../lib/ids.ts'
import { cursorOf, readPage } from '../paging.ts'
import { timestamp } from '../shapes.ts'
import { readTypes } from './event-types.ts'
import type { EventServices } from './event-watch.ts'
import type { EventFeedPage, EventView, ReadFeed } from './schema.ts'
import * as store from './store.ts'

type FeedContext = Context<KnownCaller> & EventServices

const NIL = '00000000-0000-0000-0000-000000000000'
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const BEGINNING: store.Position = { seq: 0, id: NIL }
/** Events that one answer looks at for some types of them. */
const SCAN = 5_000

const viewOf = (workspaceId: string, row: store.EventRow): EventView => ({
  id: formatId('evt', row.id),
  type: row.type,
  workspace_id: formatId('ws', workspaceId),
  occurred_at: timestamp(row.occurred_at),
  data: row.data,
})

function readPosition(text: string | undefined): store.Position {
  if (text === undefined) return BEGINNING
  const [seq, id = ''] = text.split(' ')
  return { seq: Number(seq), id }
}

interface Options {
  types: readonly string[] | undefined
  limit: number
  scan: number
}

/** Where the next reading begins: after what was given, or after all that was looked at. */
function nextOf(reading: store.Reading, range: { after: store.Position; to: number }, o: Options) {
  const given = reading.events?.length === o.limit ? reading.events.at(-1) : undefined
  if (given !== undefined) return given
  if (reading.looked === o.scan && reading.last !== null) return reading.last
  return range.to > range.after.seq ? { seq: range.to, id: LAST } : range.after
}

async function readOnce(
  { db, workspaceId, eventHorizon }: FeedContext,
  after: store.Position,
  options: Options,
): Promise<{ events: store.EventRow[]; next: store.Position }> {
  const range = { after, to: await eventHorizon.advance() }
  // A cursor of a time that this database, put back to an earlier one, has not had yet.
  if (after.seq > eventHorizon.last) throw new Failure('events_gone')
  const reading = await store.readEvents(db, workspaceId, range, options)
  if (after !== BEGINNING && reading.is_gone) throw new Failure('events_gone')
  return { events: reading.events ?? [], next: nextOf(reading, range, options) }
}

/**
 * Reads on from a cursor; where there is nothing, waits for something. No connection is held
 * meanwhile.
 */
export async function readFeed(context: FeedContext, query: ReadFeed): Promise<EventFeedPage> {
  const { keyring, workspaceId, request, eventWatch } = context
  const types =
    query.types === undefined ? undefined : readTypes(query.types.split(','), '/query/types')
  const list = `events ${workspaceId}`
  const mac = (text: string): Buffer => keyring.mac('cursor', text)
  const isLatest = query.after === 'latest'
  const cursor = isLatest ? undefined : query.after
  const page = readPage(
    { ...(query.limit && { limit: query.limit }), ...(cursor !== undefined && { cursor }) },
    list,
    mac,
  )
  const closed = new AbortController()
  const deadline = performance.now() + (query.wait ?? 0) * 1000
  if (query.wait) request.onClose(() => closed.abort())
  const options = { types, limit: page.limit, scan: types ? SCAN : page.limit }
  let position = isLatest
    ? { seq: await context.eventHorizon.advance(), id: LAST }
    : readPosition(page.after)
  for (;;) {
    const { events, next } = await readOnce(context, position, options)
    position = next
    const left = deadline - performance.now()
    const goOn =
      events.length === 0 && (await eventWatch.next(workspaceId, next, left, closed.signal))
    if (goOn) continue
    return {
      items: events.map((row) => viewOf(workspaceId, row)),
      next_cursor: cursorOf(`${next.seq} ${next.id}`, list, mac),
    }
  }
}
