/** How many processes a service has, and how many database connections each may open. */
import { availableParallelism } from 'node:os'
import type { Config } from '../../platform/config/config.ts'

/** A single process uses two cores: Postgres has the other. */
const CORES_OF_ONE = 2
/** The number of processes that one Postgres on the same machine can keep busy. */
const MAX_AUTO_PROCESSES = 8

/** @param cores of the machine, or as many of them as this process may use */
export function processCountOf(
  { processes }: Pick<Config, 'processes'>,
  cores = availableParallelism(),
): number {
  if (processes !== undefined) return processes
  return cores <= CORES_OF_ONE ? 1 : Math.min(cores, MAX_AUTO_PROCESSES)
}

/** In addition to one and a half pools: for side connections, counters, point reads, the queue. */
const FURTHER = 12
/** For commands that run at the same time as the service. */
const KEPT_FREE = 10

/** The most connections that a process opens with a pool of this size. */
export const connectionsOf = (poolSize: number): number =>
  poolSize + Math.ceil(poolSize / 2) + FURTHER

/** The largest pool, up to the wanted one, with which all processes fit into the connections. */
export function poolSizeWithin(connections: number, processes: number, wanted: number): number {
  let size = wanted
  while (size > 1 && connectionsOf(size) * processes > connections) size -= 1
  return size
}

/** Server settings with which an embedded Postgres has room for all processes. */
export function roomFor(poolSize: number, processes: number): Record<string, string> {
  if (processes === 1) return {}
  const connections = connectionsOf(poolSize) * processes + KEPT_FREE
  return { max_connections: String(Math.max(100, connections)) }
}
