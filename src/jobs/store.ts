/** The SQL of the queue: the functions that graphile-worker installs in its own schema. */
import { type Db, statement } from '../database/connect.ts'

export interface EnqueueOptions {
  /** Not before then, in milliseconds since the epoch. */
  runAtMs?: number
  /** A waiting one with the same key is replaced; one that runs already gets a successor. */
  key?: string
  /** How often it is tried until it is given up; 25, which is about three days. */
  maxAttempts?: number
  /** Those of one queue run one after the other. Names of queues should be few. */
  queue?: string
}

// Through a function of ours: requests have no rights in the schema of the library.
const add = statement(
  'jobs.add',
  `SELECT FROM enqueue_job($1, $2::json, $3, to_timestamp($4::float8 / 1000), $5, $6)`,
)
// One that waits already keeps its time: a service that restarts often must not put it off.
const seed = statement(
  'jobs.seed',
  `SELECT FROM graphile_worker.add_job($1, $2::json, queue_name => $3, job_key => $3,
     run_at => now() + make_interval(secs => $4), job_key_mode => 'preserve_run_at')`,
)
const repeat = statement(
  'jobs.repeat',
  `SELECT FROM graphile_worker.add_job($1, $2::json, queue_name => $3, job_key => $3,
     run_at => now() + make_interval(secs => $4))`,
)
const unlockDead = statement(
  'jobs.unlock_dead',
  `SELECT FROM (
     SELECT array_agg(DISTINCT j.locked_by) AS names FROM graphile_worker.jobs j
     WHERE j.locked_by LIKE 'node:%' AND j.locked_by <> $2
       AND ($3 OR split_part(j.locked_by, ':', 2) = $1 OR NOT EXISTS (
         SELECT FROM nodes n WHERE n.id::text = split_part(j.locked_by, ':', 2)
           AND n.beat_at > now() - interval '15 seconds'))
   ) dead, graphile_worker.force_unlock_workers(dead.names) WHERE dead.names IS NOT NULL`,
)
// A process that was silent for long, and was taken for dead, may end what another one runs again
// by then: that one finds nothing that it could end, and the library leaves the queue taken.
const unlockQueues = statement(
  'jobs.unlock_queues',
  `UPDATE graphile_worker._private_job_queues q SET locked_at = NULL, locked_by = NULL
   FROM graphile_worker._private_job_queues stuck
   WHERE stuck.locked_at < now() - interval '30 seconds' AND q.id = stuck.id
     AND q.locked_at = stuck.locked_at AND q.locked_by = stuck.locked_by
     AND NOT EXISTS (SELECT FROM graphile_worker._private_jobs j
                     WHERE j.job_queue_id = stuck.id AND j.locked_by = stuck.locked_by)`,
)
const forget = statement(
  'jobs.forget',
  `SELECT FROM graphile_worker.complete_jobs(ARRAY(
     SELECT id FROM graphile_worker.jobs
     WHERE attempts >= max_attempts AND locked_at IS NULL
       AND updated_at < now() - make_interval(days => $1)
     LIMIT 1000))`,
)

export async function addJob(
  db: Db,
  task: string,
  payload: object,
  { runAtMs, key, maxAttempts, queue }: EnqueueOptions,
): Promise<void> {
  const values = [task, JSON.stringify(payload), queue, runAtMs, maxAttempts, key]
  await db.query(
    add,
    values.map((value) => value ?? null),
  )
}

export interface Repetition {
  task: string
  payload: object
  everyMs: number
}

const repetitionValues = ({ task, payload, everyMs }: Repetition): unknown[] => [
  task,
  JSON.stringify(payload),
  `every:${task}`,
  everyMs / 1000,
]

/** Makes sure that a repeated task waits for its next run. */
export async function seedRepetition(db: Db, repetition: Repetition): Promise<void> {
  await db.query(seed, repetitionValues(repetition))
}

export async function addRepetition(db: Db, repetition: Repetition): Promise<void> {
  await db.query(repeat, repetitionValues(repetition))
}

/** The name under which a process takes jobs: `node:<its UUID>:<how often it began>`. */
export const workerName = (nodeId: string, beginning: number): string =>
  `node:${nodeId}:${beginning}`

/**
 * Frees what was taken by processes that do not live any more, and by this one before it began
 * anew; and queues that are taken without any task.
 * @param worker the present name of this process's workers.
 * @param all also what others have taken that seem to live.
 */
export async function unlockDeadWorkers(
  db: Db,
  nodeId: string,
  worker: string,
  all: boolean,
): Promise<void> {
  await db.query(unlockDead, [nodeId, worker, all])
  await db.query(unlockQueues)
}

/** Deletes what was given up so many days ago, a thousand at a time. */
export async function forgetGivenUp(db: Db, days: number): Promise<void> {
  await db.query(forget, [days])
}
