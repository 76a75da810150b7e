/**
 * Work for later, as data: what a feature does when nobody waits for it. A task runs at least once
 * for each time that it was asked for, in whichever process takes it up; a process that is killed
 * leaves it to another one. So what may happen only once is decided by the rows that it changes.
 */
import type { Db } from '../database/connect.ts'
import * as store from './store.ts'

export type { EnqueueOptions } from './store.ts'

export interface Task {
  /** As `enqueue` names it, `<feature>.<what it does>`; it must be unique in the program. */
  name: string
  /**
   * Ends soon after `signal` aborts: the process is to stop. What it throws is logged, and it is
   * tried again later, with growing pauses.
   */
  run(payload: unknown, signal: AbortSignal): Promise<void>
}

/** A task that runs again and again, in one of the processes at a time. */
export interface Periodic {
  task: string
  /** From the end of one run to the next, in milliseconds; two seconds more or less. */
  everyMs: number
  payload?: object
}

/** Asks for a run of `task`. In a transaction it is asked for if that commits, and then at once. */
export const enqueue = (
  db: Db,
  task: string,
  payload: object,
  options: store.EnqueueOptions = {},
): Promise<void> => store.addJob(db, task, payload, options)
