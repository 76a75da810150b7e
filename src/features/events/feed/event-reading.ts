/**
 * Reads the event feed from a position up to where events could still appear, so that late commits
 * are not skipped.
 */
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { cursorOf, readCursor } from '../../common/paging.ts'
import { formatId, NIL_UUID, MAX_UUID } from '../../../platform/lib/ids.ts'
import { timestamp } from '../../common/shapes.ts'
import type { SafeSequence } from './safe-sequence.ts'
import type { EventRow, EventView, Position } from './schema.ts'
import * as store from './store.ts'

export type { EventView, Position } from './schema.ts'

const BEGINNING: Position = { seq: 0, id: NIL_UUID }
/** Events examined per read when filtering by type. */
const SCAN = 5_000

export interface FeedReader {
  db: Db
  workspaceId: string
  safeSequence: SafeSequence
}

export interface ReadOptions extends store.Choice {
  limit: number
}

export interface FeedReading {
  events: EventRow[]
  /** Where the next read starts. */
  next: Position
  /** Whether the end was reached. */
  isEnd: boolean
}

export const viewOf = (workspaceId: string, row: EventRow): EventView => ({
  id: formatId('evt', row.id),
  type: row.type,
  workspace_id: formatId('ws', workspaceId),
  occurred_at: timestamp(row.occurred_at),
  data: row.data,
})

/** The workspace whose cursors are read and made, and the keys for them. */
export type CursorReader = Pick<Context, 'keyring' | 'workspaceId'>

const listOf = ({ workspaceId }: CursorReader): string => `events ${workspaceId}`

/** A position as a cursor. */
export const encodePosition = (reader: CursorReader, { seq, id }: Position): string =>
  cursorOf(reader, listOf(reader), `${seq} ${id}`)

/**
 * The position of a cursor; without one, the start.
 * @throws Failure invalid_cursor
 */
export function readPosition(reader: CursorReader, cursor: string | undefined): Position {
  if (cursor === undefined) return BEGINNING
  const [seq, id = ''] = readCursor(reader, listOf(reader), cursor).split(' ')
  return { seq: Number(seq), id }
}

/** The position after everything that is safe to read. */
export const latestPosition = async (safe: SafeSequence): Promise<Position> => ({
  seq: await safe.advance(),
  id: MAX_UUID,
})

/** The position before the newest `count` chosen events; at most `SCAN` events are examined. */
export async function positionBefore(
  { db, workspaceId, safeSequence }: FeedReader,
  count: number,
  choice: store.Choice,
): Promise<Position> {
  const options = { ...choice, limit: count, scan: SCAN }
  const to = await safeSequence.advance()
  return (await store.findNewest(db, workspaceId, to, options)) ?? BEGINNING
}

export const isAfter = (one: Position, other: Position): boolean =>
  one.seq > other.seq || (one.seq === other.seq && one.id > other.id)

/** Where the next read starts: after the returned or the examined events. */
function nextOf(
  reading: store.Reading,
  range: { after: Position; to: number },
  { limit, scan }: { limit: number; scan: number },
): Pick<FeedReading, 'next' | 'isEnd'> {
  const given = reading.events?.length === limit ? reading.events.at(-1) : undefined
  if (given !== undefined) return { next: { seq: given.seq, id: given.id }, isEnd: false }
  if (reading.scanned === scan && reading.last !== null) return { next: reading.last, isEnd: false }
  const next = range.to > range.after.seq ? { seq: range.to, id: MAX_UUID } : range.after
  return { next, isEnd: true }
}

/** Reads for consumers that skip deleted events silently. */
export async function readOn(
  { db, workspaceId, safeSequence }: FeedReader,
  after: Position,
  choice: ReadOptions,
): Promise<FeedReading & { isGone: boolean }> {
  const options = { ...choice, scan: choice.types ? SCAN : choice.limit }
  const range = { after, to: await safeSequence.advance() }
  const reading = await store.readEvents(db, workspaceId, range, options)
  const { events, is_gone: isGone } = reading
  return { events: events ?? [], isGone, ...nextOf(reading, range, options) }
}

/** @throws Failure events_gone if events after the position have been deleted */
export async function readFrom(
  reader: FeedReader,
  after: Position,
  options: ReadOptions,
): Promise<FeedReading> {
  const reading = await readOn(reader, after, options)
  // A cursor from the future: the database was restored to an earlier state.
  if (after.seq > reader.safeSequence.last) throw new Failure('events_gone')
  if (after !== BEGINNING && reading.isGone) throw new Failure('events_gone')
  return reading
}
