/** Background tasks of usage; each runs in one process at a time. */
import type { Context } from '../../../context.ts'
import type { Task } from '../../../platform/jobs/job.ts'
import { deleteOldSamples, writeSamples } from './connection-series-store.ts'
import { foldUsage, rollUsage } from './ledger.ts'
import { closeOverHours, sampleDevices } from './store.ts'
import { warnOfLimits } from './thresholds.ts'
import type { UsageServices } from './usage-meters.ts'

type Services = Pick<Context, 'db' | 'keyring'> & UsageServices

const CHECK_MS = 30_000
/** Delay before an hour is closed; processes flush every five seconds. */
const CLOSED_AFTER_S = 60

/** Samples connected devices, closes past hours, and warns of limits. */
export async function checkUsage(services: Services, signal?: AbortSignal): Promise<void> {
  const { db, usage } = services
  const sample = await sampleDevices.rows(db)
  usage.noteSample(sample)
  await writeSamples(db, sample)
  await closeOverHours.run(db, { seconds: CLOSED_AFTER_S })
  await warnOfLimits(services, signal)
}

/** @param hourDays how long hours are kept */
export const createUsageTasks = (services: Services, hourDays: number): Task[] => [
  {
    name: 'usage.look',
    everyMs: CHECK_MS,
    run: (_payload, signal) => checkUsage(services, signal),
  },
  {
    name: 'usage.fold',
    everyMs: 3_600_000,
    async run(_payload, signal) {
      await deleteOldSamples.run(services.db)
      await foldUsage(services.db, signal)
    },
  },
  {
    name: 'usage.roll',
    everyMs: 6 * 3_600_000,
    run: (_payload, signal) => rollUsage(services.db, hourDays, signal),
  },
]
