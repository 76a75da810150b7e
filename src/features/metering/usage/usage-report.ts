/** Usage reports, for people and for invoices. */
import type { StaffCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { pagesOf } from '../../../platform/database/sql.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import type { StreamChunk, StreamFormat } from '../../../platform/http/stream-format.ts'
import { monthOf } from '../../../platform/lib/billing-time.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { DAY_MS, HOUR_MS, nearestTime, timeOf } from '../../../platform/lib/time.ts'
import { readPage } from '../../common/paging.ts'
import { timestamp } from '../../common/shapes.ts'
import type { Use } from './limits.ts'
import {
  findConnectionSeries,
  findConnectionSteps,
  STEP_MINUTES,
} from './connection-series-store.ts'
import * as store from './store.ts'
import * as schema from './schema.ts'
import { NO_TEMPLATE, WHOLE_WORKSPACE } from './store.ts'
import type { Paged } from '../../common/results.ts'

/** Sorts before every row. */
const BEGINNING = { afterTime: timestamp(0), afterTemplate: NO_TEMPLATE }
const EXPORT_PAGE = 1_000

interface Steps {
  /** The start of the period that contains a time. */
  begin: (ms: number) => number
  /** Adds a number of periods to a time. */
  later: (ms: number, periods: number) => number
  /** Default and maximum number of periods in a response. */
  usual: number
  max: number
  message: string
}

const evenSteps = (length: number, usual: number, max: number, message: string): Steps => ({
  begin: (ms) => Math.floor(ms / length) * length,
  later: (ms, periods) => ms + periods * length,
  usual,
  max,
  message,
})

const steps: Record<store.Granularity, Steps> = {
  hour: evenSteps(HOUR_MS, 24, 31 * 24, '31 days'),
  day: evenSteps(DAY_MS, 30, 366, '366 days'),
  month: { begin: monthOf, later: monthOf, usual: 12, max: 60, message: '60 months' },
}

interface Asked {
  granularity: store.Granularity
  byTemplate: boolean
  /** RFC 3339; hours from `from` until before `to`. */
  from: string
  to: string
}

/** @throws Failure invalid_request */
function askedFor(query: schema.ExportUsage, now: number): Asked {
  const granularity = query.granularity ?? 'day'
  const { begin, later, usual, max, message } = steps[granularity]
  const to = query.to === undefined ? now : timeOf(query.to)
  const from = begin(query.from === undefined ? later(to, -usual) : timeOf(query.from))
  if (from >= to) throw invalid('/query/to', 'must be later than `from`')
  if (later(from, max) < begin(to)) {
    throw invalid('/query/from', `is more than ${message} before \`to\``)
  }
  // The period that contains `to` is included as a whole.
  const last = begin(to - 1)
  const byTemplate = query.by === 'template'
  // Nothing was used in the years that whole periods may reach into beyond those of `TimeInput`.
  const edge = (ms: number): string => timestamp(nearestTime(ms))
  return { granularity, byTemplate, from: edge(from), to: edge(later(last, 1)) }
}

const viewOf = (row: store.PeriodRow): schema.UsagePeriod => ({
  ...row,
  starts_at: timestamp(row.starts_at),
  ends_at: timestamp(row.ends_at),
  template_id:
    row.template_id === NO_TEMPLATE || row.template_id === WHOLE_WORKSPACE
      ? null
      : formatId('tpl', row.template_id),
})

const positionOf = (row: store.PeriodRow): string =>
  `${timestamp(row.starts_at)} ${row.template_id}`

/** @throws Failure invalid_request, invalid_cursor */
export async function readUsage(
  context: Context<StaffCaller>,
  query: schema.ReadUsage,
): Promise<Paged<schema.UsagePeriod>> {
  const { db, clock, workspaceId } = context
  const { granularity, by, from = '', to = '' } = query
  const list = `usage ${workspaceId} ${granularity} ${by} ${from} ${to}`
  const page = readPage(context, query, list)
  const [afterTime = '', afterTemplate = ''] = page.after?.split(' ') ?? []
  const rows = await store.findPeriods.rows(db, {
    workspaceId,
    ...askedFor(query, clock.now()),
    ...(page.after === undefined ? BEGINNING : { afterTime, afterTemplate }),
    limit: page.limit + 1,
  })
  return page.of(rows, positionOf, viewOf)
}

const COLUMNS = [
  ...(['starts_at', 'ends_at', 'template_id'] as const),
  ...(['connected_devices', 'messages', 'bytes', 'api_calls', 'is_closed'] as const),
]

/** Cells need no quoting: they are times, ids and numbers. */
const csvOf = (period: schema.UsagePeriod): string =>
  `${COLUMNS.map((name) => period[name] ?? '').join(',')}\r\n`

/** @throws Failure invalid_request */
export async function* exportUsage(
  { db, clock, workspaceId }: Context<StaffCaller>,
  query: schema.ExportUsage,
  format: StreamFormat,
): AsyncGenerator<StreamChunk<schema.UsagePeriod>> {
  const asked = askedFor(query, clock.now())
  if (format === 'csv') yield `${COLUMNS.join(',')}\r\n`
  const read = (last?: store.PeriodRow) => {
    const after = last
      ? { afterTime: timestamp(last.starts_at), afterTemplate: last.template_id }
      : BEGINNING
    return store.findPeriods.rows(db, { workspaceId, ...asked, ...after, limit: EXPORT_PAGE })
  }
  for await (const rows of pagesOf(EXPORT_PAGE, read)) {
    const periods = rows.map(viewOf)
    yield format === 'csv' ? periods.map(csvOf).join('') : periods
  }
}

/** The same for hours that are still open: closes nothing, so a later call may return more. */
export const usageSoFar = (db: Db, workspaceId: string, from: number, to: number): Promise<Use> =>
  store.sumBetween.one(db, { workspaceId, from: timestamp(from), to: timestamp(to) })

/**
 * Usage of the hours that start in an interval (milliseconds since the epoch; the end is
 * exclusive), for invoices. Past hours are closed first, so the result is final; late counts go to
 * the first open hour. For connected devices it is the highest hourly peak.
 * @param db the service's own: requests cannot close hours. In a transaction that closes hours,
 * metering of every process waits for its end.
 */
export async function usageBetween(
  db: Db,
  workspaceId: string,
  from: number,
  to: number,
): Promise<Use> {
  await store.closeUntil(db, timestamp(to))
  return store.sumBetween.one(db, { workspaceId, from: timestamp(from), to: timestamp(to) })
}

/** How many devices were connected over time: for everyone who may see who is connected now. */
export async function readConnectionSeries(
  { db, workspaceId }: Context,
  { hours, step }: schema.ReadConnectionSeries,
): Promise<schema.ConnectionSeries> {
  if (step === 'five_minutes' && hours > schema.HOURS_OF_STEPS) {
    throw invalid('/query/hours', `is at most ${schema.HOURS_OF_STEPS} for steps of five minutes`)
  }
  const rows =
    step === 'hour'
      ? await findConnectionSeries.rows(db, { workspaceId, hours })
      : await findConnectionSteps.rows(db, { workspaceId, steps: (hours * 60) / STEP_MINUTES })
  return {
    items: rows.map(({ starts_at: startsAt, connected_devices }) => ({
      starts_at: timestamp(startsAt),
      connected_devices,
    })),
  }
}
