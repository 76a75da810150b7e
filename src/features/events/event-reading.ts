/**
 * Reading the feed of events from a position on. It ends where an event could still appear, so what
 * commits late is not passed over.
 */
import type { Db } from '../../database/connect.ts'
import { Failure } from '../../errors.ts'
import type { CursorMac } from '../paging.ts'
import { cursorOf, readPage } from '../paging.ts'
import { formatId } from '../../lib/ids.ts'
import { timestamp } from '../shapes.ts'
import type { EventHorizon } from './event-horizon.ts'
import type { EventView } from './schema.ts'
import * as store from './store.ts'

const NIL = '00000000-0000-0000-0000-000000000000'
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const BEGINNING: store.Position = { seq: 0, id: NIL }
/** Events that one reading looks at for some types of them. */
const SCAN = 5_000

export interface FeedReader {
  db: Db
  workspaceId: string
  eventHorizon: EventHorizon
}

export interface ReadOptions {
  /** Undefined: all of them. */
  types: readonly string[] | undefined
  limit: number
}

export interface FeedReading {
  events: store.EventRow[]
  /** Where the next reading begins. */
  next: store.Position
  /** Whether there was nothing more. */
  isEnd: boolean
}

export const viewOf = (workspaceId: string, row: store.EventRow): EventView => ({
  id: formatId('evt', row.id),
  type: row.type,
  workspace_id: formatId('ws', workspaceId),
  occurred_at: timestamp(row.occurred_at),
  data: row.data,
})

const listOf = (workspaceId: string): string => `events ${workspaceId}`

/** A position as it is given out. */
export const spellPosition = (
  workspaceId: string,
  { seq, id }: store.Position,
  mac: CursorMac,
): string => cursorOf(`${seq} ${id}`, listOf(workspaceId), mac)

/**
 * The position that a cursor names; the beginning without one.
 * @throws Failure invalid_cursor
 */
export function readPosition(
  workspaceId: string,
  cursor: string | undefined,
  mac: CursorMac,
): store.Position {
  if (cursor === undefined) return BEGINNING
  const [seq, id = ''] = readPage({ cursor }, listOf(workspaceId), mac).after?.split(' ') ?? []
  return { seq: Number(seq), id }
}

/** The position behind all that is safe to read. */
export const latestPosition = async (horizon: EventHorizon): Promise<store.Position> => ({
  seq: await horizon.advance(),
  id: LAST,
})

export const isAfter = (one: store.Position, other: store.Position): boolean =>
  one.seq > other.seq || (one.seq === other.seq && one.id > other.id)

/** Where the next reading begins: after what was given, or after all that was looked at. */
function nextOf(
  reading: store.Reading,
  range: { after: store.Position; to: number },
  { limit, scan }: { limit: number; scan: number },
): Pick<FeedReading, 'next' | 'isEnd'> {
  const given = reading.events?.length === limit ? reading.events.at(-1) : undefined
  if (given !== undefined) return { next: { seq: given.seq, id: given.id }, isEnd: false }
  if (reading.looked === scan && reading.last !== null) return { next: reading.last, isEnd: false }
  const next = range.to > range.after.seq ? { seq: range.to, id: LAST } : range.after
  return { next, isEnd: true }
}

async function read(
  { db, workspaceId, eventHorizon }: FeedReader,
  after: store.Position,
  { types, limit }: ReadOptions,
): Promise<FeedReading & { isGone: boolean }> {
  const options = { types, limit, scan: types ? SCAN : limit }
  const range = { after, to: await eventHorizon.advance() }
  const reading = await store.readEvents(db, workspaceId, range, options)
  const { events, is_gone: isGone } = reading
  return { events: events ?? [], isGone, ...nextOf(reading, range, options) }
}

/** @throws Failure events_gone when events after the position are not kept any more. */
export async function readFrom(
  reader: FeedReader,
  after: store.Position,
  options: ReadOptions,
): Promise<FeedReading> {
  const reading = await read(reader, after, options)
  // A cursor of a time that this database, put back to an earlier one, has not had yet.
  if (after.seq > reader.eventHorizon.last) throw new Failure('events_gone')
  if (after !== BEGINNING && reading.isGone) throw new Failure('events_gone')
  return reading
}

/** Reads for who is not told of what is not kept any more, and goes on with what is. */
export const readOn = (
  reader: FeedReader,
  after: store.Position,
  options: ReadOptions,
): Promise<FeedReading> => read(reader, after, options)
