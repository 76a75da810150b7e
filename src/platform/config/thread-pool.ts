/**
 * The size of libuv's thread pool, for this process and those it starts. The program imports it
 * first: Node reads the size when the pool is first used.
 */
import { availableParallelism } from 'node:os'

/** Node's own default. */
const LEAST_THREADS = 4
/** For files and host names, while each core hashes a password. */
const OTHERS = 2

process.env.UV_THREADPOOL_SIZE ||= String(Math.max(LEAST_THREADS, availableParallelism() + OTHERS))
