/** What is done about usage in the background, by one process at a time. */
import type { Context } from '../../context.ts'
import type { Periodic, Task } from '../../jobs/job.ts'
import { foldUsage, rollUsage } from './ledger.ts'
import { closeOverHours } from './report-store.ts'
import { sampleDevices } from './store.ts'
import { warnOfLimits } from './thresholds.ts'
import type { UsageServices } from './usage-meters.ts'

type Services = Pick<Context, 'db' | 'keyring'> & UsageServices

const LOOK = 'usage.look'
const FOLD = 'usage.fold'
const ROLL = 'usage.roll'
/** An hour is closed so long after its end; processes write every five seconds. */
const CLOSED_AFTER_S = 60

/** Counts who is connected, closes hours that are over, and warns who is near a limit. */
export async function lookAtUsage(services: Services, signal?: AbortSignal): Promise<void> {
  const { db, usage } = services
  usage.noteSample(await sampleDevices(db))
  await closeOverHours(db, CLOSED_AFTER_S)
  await warnOfLimits(services, signal)
}

/** @param hourDays how long hours are kept. */
export const createUsageTasks = (services: Services, hourDays: number): Task[] => [
  { name: LOOK, run: (_payload, signal) => lookAtUsage(services, signal) },
  { name: FOLD, run: (_payload, signal) => foldUsage(services.db, signal) },
  { name: ROLL, run: (_payload, signal) => rollUsage(services.db, hourDays, signal) },
]

export const usageRepetitions: readonly Periodic[] = [
  { task: LOOK, everyMs: 30_000 },
  { task: FOLD, everyMs: 3_600_000 },
  { task: ROLL, everyMs: 6 * 3_600_000 },
]
