/**
 * Background tasks as data. A task runs at least once for each time it is enqueued, in any process;
 * if that process is killed, another one takes over. One-time effects must therefore be guarded by
 * the rows that the task changes.
 */
import type { Db } from '../database/connect.ts'
import { activeSpan } from '../trace/span.ts'
import * as store from './store.ts'

export type { EnqueueOptions } from './store.ts'
export { listTasks } from './store.ts'

export interface Task {
  /** `<feature>.<what it does>`, as passed to `enqueue`; unique in the program. */
  name: string
  /**
   * Must end soon after `signal` aborts, because the process is stopping. Errors are logged, and
   * the task is retried with growing delays.
   */
  run(payload: unknown, signal: AbortSignal): Promise<void>
}

/** A task that repeats, in one process at a time. */
export interface Periodic {
  task: string
  /**
   * From the end of one run to the start of the next, in milliseconds, accurate to about two
   * seconds.
   */
  everyMs: number
  payload?: object
}

/** The member of a payload that has the trace of what enqueued the task. */
export const TRACEPARENT = '_traceparent'

/** A long job that enqueues its own continuation would make a trace without end. */
function withTrace(task: string, payload: object): object {
  const span = activeSpan()
  if (span === undefined || span.name === task) return payload
  return { ...payload, [TRACEPARENT]: span.traceparent }
}

/** Enqueues a run of `task`. In a transaction, it takes effect with the commit. */
export const enqueue = (
  db: Db,
  task: string,
  payload: object,
  options: store.EnqueueOptions = {},
): Promise<void> => store.addJob(db, task, withTrace(task, payload), options)
