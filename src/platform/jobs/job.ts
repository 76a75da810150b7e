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
  /**
   * `<feature>.<what it does>`, unique in the program. The queue stores it, and processes of an
   * earlier release run it during an upgrade, so once released it stays.
   */
  name: string
  /**
   * It repeats, in one process at a time: from the end of one run to the start of the next, in
   * milliseconds, accurate to about two seconds.
   */
  everyMs?: number | undefined
  /**
   * Must end soon after `signal` aborts, because the process is stopping. Errors are logged, and
   * the task is retried with growing delays.
   */
  run(payload: unknown, signal: AbortSignal): Promise<void>
}

/** The types of a task: the caller that enqueues it and the handler agree on its payload. */
export interface TaskKind<Payload extends object> {
  /** As that of `Task`. */
  name: string
  /** Defaults of members that payloads of older releases lack. */
  defaults: Partial<Payload>
}

export const taskKind = <Payload extends object>(
  name: string,
  defaults: Partial<Payload> = {},
): TaskKind<Payload> => ({ name, defaults })

/** The task that handles payloads of this kind. */
export const taskOf = <Payload extends object>(
  { name, defaults }: TaskKind<Payload>,
  run: (payload: Payload, signal: AbortSignal) => Promise<void>,
): Task => ({
  name,
  run: (payload, signal) => run({ ...defaults, ...(payload as Payload) }, signal),
})

/** The member of a payload for the trace in which the task was enqueued. */
export const TRACEPARENT = '_traceparent'

/** A long job that enqueues its own continuation would make a trace without end. */
function withTrace(task: string, payload: object): object {
  const span = activeSpan()
  if (span === undefined || span.name === task) return payload
  return { ...payload, [TRACEPARENT]: span.traceparent }
}

/** Enqueues a run of a task. In a transaction, it takes effect with the commit. */
export const enqueue = <Payload extends object>(
  db: Db,
  { name }: TaskKind<Payload>,
  payload: NoInfer<Payload>,
  options: store.EnqueueOptions = {},
): Promise<void> => store.addJob(db, name, withTrace(name, payload), options)
