/**
 * Warns when shares of a plan's limits are used: an event for each, and mail to the owners. Each
 * warning is given once a month: anyone who inserts its row sends it, in the same transaction.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId, NIL_UUID } from '../../../platform/lib/ids.ts'
import { isActiveWorkspace } from '../../team/active-workspaces/active-workspace.ts'
import { queueMail } from '../../mail/outbox/outbox.ts'
import { timestamp } from '../../common/shapes.ts'
import { type Limits, type LimitsOf, type Reached, reachedLimits } from './limits.ts'
import * as store from './store.ts'
import { columnsOf, pagesOf } from '../../../platform/database/sql.ts'

interface Services {
  db: Db
  keyring: Keyring
  limitsOf: LimitsOf | undefined
}

/** Percentages of a limit. */
const thresholds = [50, 80, 100] as const

const PAGE = 500

interface Warning extends Reached {
  threshold: number
}

const nameOf = ({ meter, threshold }: store.Threshold): string => `${meter} ${threshold}`

/**
 * Checks every workspace with usage this month.
 * @throws Error if some could not be checked, after all others
 */
export async function warnOfLimits(services: Services, signal?: AbortSignal): Promise<void> {
  const { db, limitsOf } = services
  if (limitsOf === undefined) return
  const failures: unknown[] = []
  const read = (last?: store.WatchedMonth) =>
    store.monthsAfter.rows(db, { workspaceId: last?.workspace_id ?? NIL_UUID, limit: PAGE })
  for await (const months of pagesOf(PAGE, read)) {
    if (signal?.aborted) return
    for (const month of months) {
      try {
        const due = dueOf(month, await limitsOf(month.workspace_id))
        if (due.length > 0) await warn(services, month, due)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  if (failures.length > 0) throw failures[0]
}

function dueOf(month: store.WatchedMonth, limits: Limits | undefined): Warning[] {
  if (limits === undefined) return []
  return thresholds
    .flatMap((threshold) =>
      reachedLimits(limits, month, threshold).map((reached) => ({ ...reached, threshold })),
    )
    .filter((warning) => !month.given.includes(nameOf(warning)))
}

const periodOf = (month: number): string => timestamp(month).slice(0, 7)

async function warn(
  { db, keyring }: Services,
  month: store.WatchedMonth,
  due: readonly Warning[],
): Promise<void> {
  const { workspace_id: workspaceId } = month
  await db.transaction(async (trx) => {
    if (!(await isActiveWorkspace(trx, workspaceId))) return
    const thresholds = { ...columnsOf(due), workspaceId, month: month.month }
    const written = new Set((await store.insertThresholds.rows(trx, thresholds)).map(nameOf))
    const given = due.filter((warning) => written.has(nameOf(warning)))
    const period = periodOf(month.month)
    for (const { meter, name, value, use, threshold } of given) {
      await record(trx, serviceOrigin, {
        workspaceId,
        action: 'usage.threshold_reached',
        resource: { kind: 'workspace', id: formatId('ws', workspaceId) },
        data: { meter, limit: name, value, use, threshold, period },
      })
    }
    if (given.length === 0) return
    for (const { email, name } of await store.findOwners.rows(trx, { workspaceId })) {
      await queueMail({ keyring }, trx, { workspaceId, to: email, ...mailOf(name, period, given) })
    }
  })
}

/** A name within a line, stripped of anything that could start a new line. */
const inLine = (name: string): string => name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/** Only the highest share of each limit. */
function mailOf(workspace: string, period: string, given: readonly Warning[]) {
  const highest = new Map(given.map((warning) => [warning.name, warning]))
  const lines = [...highest.values()].map(
    ({ name, value, use, threshold }) =>
      `  ${name}: ${use} of ${value}, which is ${threshold} % or more`,
  )
  const isOver = given.some(({ threshold }) => threshold === 100)
  return {
    subject: `Usage of the workspace ${inLine(workspace)}`,
    text: [
      `In ${period} the workspace "${inLine(workspace)}" has come near a limit of its plan:`,
      '',
      ...lines,
      '',
      isOver
        ? 'Usage beyond the limit is refused until the next month (UTC), or until you choose ' +
          'a larger plan.'
        : 'Usage beyond the limit is refused until the next month (UTC). A larger plan has ' +
          'higher limits.',
      'Revoking, deleting, rotating and registering a known device again always work.',
      '',
    ].join('\n'),
  }
}
