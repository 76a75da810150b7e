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

/** Another client id that the same credential may use: its own may be followed by `:` and a suffix. */
export function anotherOf(clientId: string): string {
  const [own = '', suffix = '1'] = clientId.split(':')
  return `${own}:${/^\d+$/.test(suffix) ? Number(suffix) + 1 : 2}`
}

function isOver(count: number, first: number, last: number, now: number): boolean {
  const pauseMs = (last - first) / (count - 1)
  return now - last > Math.min(Math.max(PAUSES * pauseMs, SOONEST_OVER_MS), LATEST_OVER_MS)
}

/**
 * Of the client id whose sessions were replaced most often in the last minutes.
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

export interface Shown {
  entry: TimelineEntry
  /** How many sessions it stands for, each of which the next one replaced. */
  replaced: number | undefined
}

/** The client id of a session that another one replaced. */
const replacedAs = ({ connection }: TimelineEntry): string | undefined =>
  connection?.end_reason === 'taken_over' ? connection.client_id : undefined

/** The runs of sessions that replaced each other, whatever else happened between them. */
function runsOf(entries: readonly TimelineEntry[]): TimelineEntry[][] {
  const runs: TimelineEntry[][] = []
  for (const entry of entries.filter(({ kind }) => kind === 'connection')) {
    const run = runs.at(-1)
    const client = replacedAs(entry)
    const isNext = run?.[0] !== undefined && client !== undefined && client === replacedAs(run[0])
    if (isNext) run?.push(entry)
    else runs.push([entry])
  }
  return runs
}

/**
 * Sessions with one client id that replaced each other are shown once, as the newest of them. What
 * else happened between them, such as a report after each connection, stays where it is.
 * @param entries the newest first
 */
export function foldReplaced(entries: readonly TimelineEntry[]): Shown[] {
  const runs = runsOf(entries).filter(({ length }) => length >= MIN_RUN)
  const counts = new Map(runs.map(([first, ...others]) => [first, others.length + 1]))
  const folded = new Set(runs.flatMap(([, ...others]) => others))
  return entries
    .filter((entry) => !folded.has(entry))
    .map((entry) => ({ entry, replaced: counts.get(entry) }))
}
