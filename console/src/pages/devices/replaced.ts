/** Sessions that were replaced one after the other: two programs use one client id. */
import type { ConnectionAttempt, TimelineEntry } from '../../../../sdk/schema.ts'

type Attempt = Pick<ConnectionAttempt, 'client_id' | 'end_reason' | 'ended_at'>

/** A device that loses its network may replace its own session now and then. */
const SEVERAL = 5
const RECENT_MS = 5 * 60_000
/** It is over when for so many times as long as between two of them there was no other. */
const PAUSES = 3
const SOONEST_OVER_MS = 10_000
const LATEST_OVER_MS = 60_000
/** Fewer are shown each by itself. */
const MIN_RUN = 3

export interface Replacements {
  count: number
  client_id: string
  /** When the first and the last of them were replaced, in milliseconds since the epoch. */
  first: number
  last: number
  /** No other has followed. */
  isOver: boolean
}

/**
 * Another client id that the same credential may use: its own may be followed by `:` and a suffix.
 */
export function anotherOf(clientId: string): string {
  const [own = '', suffix = '1'] = clientId.split(':')
  return `${own}:${/^\d+$/.test(suffix) ? Number(suffix) + 1 : 2}`
}

function isOver(count: number, first: number, last: number, now: number): boolean {
  const pauseMs = (last - first) / (count - 1)
  return now - last > Math.min(Math.max(PAUSES * pauseMs, SOONEST_OVER_MS), LATEST_OVER_MS)
}

/**
 * The replacements of the client id whose sessions were replaced most often in the last minutes.
 * @param attempts in the connection log, which is short: the first of them may be missing
 * @returns undefined if there were few
 */
export function recentReplacements(
  attempts: readonly Attempt[],
  now: number,
): Replacements | undefined {
  const replaced = attempts.filter(({ end_reason }) => end_reason === 'taken_over')
  const byClient = [...Map.groupBy(replaced, ({ client_id }) => client_id)]
  return byClient
    .map(([client_id, each]) => {
      const ends = each.map(({ ended_at }) => Date.parse(ended_at ?? ''))
      const last = Math.max(...ends)
      const run = ends.filter((end) => last - end <= RECENT_MS)
      const [count, first] = [run.length, Math.min(...run)]
      return { client_id, count, first, last, isOver: isOver(count, first, last, now) }
    })
    .filter(({ count, last }) => count >= SEVERAL && now - last <= RECENT_MS)
    .sort((one, other) => Number(one.isOver) - Number(other.isOver) || other.count - one.count)[0]
}

export interface Shown<Row> {
  entry: Row
  /** All that it stands for, the newest first: sessions each of which the next one replaced. */
  run: readonly Row[]
}

type ConnectionOf<Row> = (row: Row) => Attempt | undefined

/** The client id of a session that another one replaced. */
const replacedAs = (attempt: Attempt | undefined): string | undefined =>
  attempt?.end_reason === 'taken_over' ? attempt.client_id : undefined

/** The runs of sessions that replaced each other, whatever else happened between them. */
function runsOf<Row>(rows: readonly Row[], connectionOf: ConnectionOf<Row>): Row[][] {
  const runs: { client: string | undefined; rows: Row[] }[] = []
  for (const row of rows) {
    const connection = connectionOf(row)
    if (connection === undefined) continue
    const client = replacedAs(connection)
    const run = runs.at(-1)
    if (run !== undefined && client !== undefined && client === run.client) run.rows.push(row)
    else runs.push({ client, rows: [row] })
  }
  return runs.map((run) => run.rows)
}

function fold<Row>(rows: readonly Row[], connectionOf: ConnectionOf<Row>): Shown<Row>[] {
  const runs = runsOf(rows, connectionOf).filter(({ length }) => length >= MIN_RUN)
  const byFirst = new Map(runs.map((run) => [run[0], run]))
  const folded = new Set(runs.flatMap(([, ...others]) => others))
  return rows
    .filter((row) => !folded.has(row))
    .map((entry) => ({ entry, run: byFirst.get(entry) ?? [entry] }))
}

/**
 * Sessions with one client id that replaced each other are shown once, as the newest of them. Other
 * events between them, such as a report after each connection, stay where they are.
 * @param entries the newest first
 */
export const foldReplaced = (entries: readonly TimelineEntry[]): Shown<TimelineEntry>[] =>
  fold(entries, ({ connection }) => connection)

/** The same of a connection log. */
export const foldAttempts = (attempts: readonly ConnectionAttempt[]): Shown<ConnectionAttempt>[] =>
  fold(attempts, (attempt) => attempt)
