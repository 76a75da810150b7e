/** Runs of events of one type, one soon after the other: they are shown as one row that opens. */
import type { Event } from '../../../../sdk/schema.ts'

/** Fewer are shown each by itself. */
const MIN_RUN = 4
/** Later than that after the one before, it is another run. */
const NEAR_MS = 5 * 60_000

type Occurred = Pick<Event, 'id' | 'type' | 'occurred_at'>

export interface Shown<Each> {
  event: Each
  /** That begins with this row; undefined for others. */
  run: { key: string; others: number; isOpen: boolean } | undefined
}

function runsOf<Each extends Occurred>(events: readonly Each[]): Each[][] {
  const runs: Each[][] = []
  for (const event of events) {
    const run = runs.at(-1)
    const newer = run?.at(-1)
    const isNear =
      newer?.type === event.type &&
      Date.parse(newer.occurred_at) - Date.parse(event.occurred_at) <= NEAR_MS
    if (isNear) run?.push(event)
    else runs.push([event])
  }
  return runs
}

/**
 * @param events the newest first
 * @param open keys of runs: each is the id of its oldest event, which stays when new ones come
 */
export const foldRuns = <Each extends Occurred>(
  events: readonly Each[],
  open: ReadonlySet<string>,
): Shown<Each>[] =>
  runsOf(events).flatMap((ofRun) => {
    const rows = ofRun.map((event): Shown<Each> => ({ event, run: undefined }))
    const [first] = rows
    const key = ofRun.at(-1)?.id
    if (first === undefined || key === undefined || rows.length < MIN_RUN) return rows
    const isOpen = open.has(key)
    first.run = { key, others: rows.length - 1, isOpen }
    return isOpen ? rows : [first]
  })
