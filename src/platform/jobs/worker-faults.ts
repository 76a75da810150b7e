/** Ways out of faults of graphile-worker after which it would stand still. */
import type { WorkerEvents } from 'graphile-worker'

/** What the library may still take once its workers have ended. */
const LAST_WRITES_MS = 5_000

/**
 * The library resolves task ids once and caches the result, even a failure: workers that started
 * while the database went away would fail forever.
 *
 * @param most consecutive failures after the start
 */
export function restartIfStuck(events: WorkerEvents, most: number): void {
  let failures = 0
  const isWell = (): void => {
    failures = Number.NEGATIVE_INFINITY
  }
  events.on('worker:getJob:empty', isWell)
  events.on('job:start', isWell)
  events.on('worker:getJob:error', ({ worker }) => {
    failures += 1
    if (failures === most) void worker.workerPool.gracefulShutdown('it is stuck')
  })
}

/**
 * Resolves a while after the workers have ended. Once one completion was not written, the library
 * miscounts those under way, and may wait for them forever.
 */
export function afterLastWrites(events: WorkerEvents): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const begin = (): void => void setTimeout(resolve, LAST_WRITES_MS).unref()
  events.on('pool:gracefulShutdown:complete', begin)
  events.on('pool:forcefulShutdown:complete', begin)
  events.on('pool:forcefulShutdown:error', begin)
  return promise
}
