/** The size of libuv's thread pool, which Node reads when the pool is first used. */
import { availableParallelism } from 'node:os'

/** Node's own default. */
const LEAST_THREADS = 4
/** For files and host names, while each core hashes a password. */
const OTHERS = 2

/** Sets it, if it is not given, for this process and for those that it starts. */
export function sizeThreadPool(): void {
  const threads = Math.max(LEAST_THREADS, availableParallelism() + OTHERS)
  process.env.UV_THREADPOOL_SIZE ||= String(threads)
}
