/** What runs in the background: the tasks of all features, and which of them repeat. */
import type { Config } from '../config.ts'
import type pg from 'pg'
import type { Database } from '../database/connect.ts'
import type { Periodic, Task } from '../jobs/job.ts'
import { createQueue, type Queue } from '../jobs/queue.ts'
import type { Log } from '../log.ts'
import type { AllServices } from '../operations.ts'

/** Each feature that has tasks exports `create…Tasks(services)` from its `jobs.ts`. */
function tasksOf(_services: AllServices): Task[] {
  return []
}

/** In one process at a time, whichever is there; `timers.every` is for what each of them does. */
const periodic: readonly Periodic[] = []

export const createBackground = (
  options: { config: Config; connection: pg.PoolConfig; isShared: boolean; log: Log },
  { database, services }: { database: Database; services: AllServices },
): Queue =>
  createQueue({
    connection: options.connection,
    db: database,
    prepared: options.config.databasePrepared === 'on',
    tasks: tasksOf(services),
    periodic,
    nodeId: services.nodeId,
    isShared: options.isShared,
    log: options.log,
  })
