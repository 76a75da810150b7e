/** Sessions that were replaced one after the other: two programs use one client id. */
import type { ConnectionAttempt, TimelineEntry } from '../../../../sdk/schema.ts'

type Attempt = Pick<ConnectionAttempt, 'client_id' | 'end_reason' | 'ended_at'>

/** A device that loses its network may replace its own session now and then. */
const SEVERAL = 5
const RECENT_MS = 5 * 60_000
/** Without another one for so long, it is over. */
const OVER_MS = 60_000
/** Fewer are shown each by itself. */
const MIN_RUN = 3

export interface Replacements {
  count: number
  /** Since the first of them. */
  sinceMs: number
  client_id: string
}

/** Another client id that the same credential may use: its own may be followed by `:` and a suffix. */
export function anotherOf(clientId: string): string {
  const [own = '', suffix = '1'] = clientId.split(':')
  return `${own}:${/^\d+$/.test(suffix) ? Number(suffix) + 1 : 2}`
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
  const ends = attempts.flatMap(({ client_id, end_reason, ended_at }) => {
    const sinceMs = now - Date.parse(ended_at ?? '')
    return end_reason === 'taken_over' && sinceMs <= RECENT_MS ? [{ client_id, sinceMs }] : []
  })
  const byClient = [...Map.groupBy(ends, ({ client_id }) => client_id)]
  return byClient
    .filter(([, each]) => each.length >= SEVERAL && each.some(({ sinceMs }) => sinceMs <= OVER_MS))
    .map(([client_id, each]) => ({
      client_id,
      count: each.length,
      sinceMs: Math.max(...each.map(({ sinceMs }) => sinceMs)),
    }))
    .sort((one, other) => other.count - one.count)[0]
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
