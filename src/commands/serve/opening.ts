/**
 * Opens the database while the code of the service is being loaded: a cluster is created, or its
 * server started, by processes of their own, and loading keeps this one busy for as long.
 */
import type { Config } from '../../platform/config/config.ts'
import { createLog, type Log } from '../../platform/log.ts'
import { openForService, type ServedDatabase } from '../installation/databases.ts'
import { processCountOf, roomFor } from './process-count.ts'
import { logEverything } from './process-log.ts'
import { type Stopping, watchSignals } from './signals.ts'

export interface Opening {
  log: Log
  stopping: Stopping
  /** How many processes the service will have. */
  count: number
  opened: ServedDatabase
}

/** @param load loads the code of the service */
export async function openWhile(config: Config, load: () => Promise<unknown>): Promise<Opening> {
  const log = createLog(config.logLevel, config.logPriority)
  logEverything(log)
  const stopping = watchSignals()
  const count = processCountOf(config)
  const settings = roomFor(config.databasePoolSize, count)
  const opened = await openForService(config, log, { settings, meanwhile: load })
  return { log, stopping, count, opened }
}
