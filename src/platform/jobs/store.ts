/** The queue's SQL: functions that graphile-worker installs in its own schema. */
import { isAlive } from '../database/node-life.ts'
import type { Db } from '../database/connect.ts'
import { sql } from '../database/sql.ts'

export interface EnqueueOptions {
  /** Earliest start, in milliseconds since the epoch. */
  runAtMs?: number
  /** Replaces a waiting job with the same key; a running one gets a successor. */
  key?: string
  /** Attempts until it is given up; 25 by default, which takes about three days. */
  maxAttempts?: number
  /** Jobs of one queue run one after another. There should be few queues. */
  queue?: string
}

// Through a function of ours: the role for requests has no rights in the library's schema.
const add = sql('jobs.add')`
  SELECT FROM enqueue_job($task, $payload::json, $queue?, to_timestamp($runAtMs?::float8 / 1000),
                           $maxAttempts?, $key?)`
const repeat = sql('jobs.repeat')`
  SELECT FROM graphile_worker.add_job($task, '{}'::json, queue_name => 'every:' || $task,
    job_key => 'every:' || $task, job_key_mode => $mode,
    run_at => now() + make_interval(secs => $seconds))`
const unlockDead = sql('jobs.unlock_dead')`
  SELECT FROM (
    SELECT array_agg(DISTINCT j.locked_by) AS names FROM graphile_worker.jobs j
    WHERE j.locked_by LIKE 'node:%' AND j.locked_by <> $worker
      AND ($all OR split_part(j.locked_by, ':', 2) = $nodeId OR NOT EXISTS (
        SELECT FROM nodes n WHERE n.id::text = split_part(j.locked_by, ':', 2)
          AND ${isAlive('n')}))
  ) dead, graphile_worker.force_unlock_workers(dead.names) WHERE dead.names IS NOT NULL`
// A process that was suspended and considered dead may complete a job that another one is running
// again by then; that one then completes nothing, and the library leaves the queue locked.
const unlockQueues = sql('jobs.unlock_queues')`
  UPDATE graphile_worker._private_job_queues q SET locked_at = NULL, locked_by = NULL
  FROM graphile_worker._private_job_queues stuck
  WHERE stuck.locked_at < now() - interval '30 seconds' AND q.id = stuck.id
    AND q.locked_at = stuck.locked_at AND q.locked_by = stuck.locked_by
    AND NOT EXISTS (SELECT FROM graphile_worker._private_jobs j
                    WHERE j.job_queue_id = stuck.id AND j.locked_by = stuck.locked_by)`
/** Deletes jobs given up before so many days, a thousand at a time. */
export const deleteGivenUp = sql('jobs.delete_old')`
  SELECT FROM graphile_worker.complete_jobs(ARRAY(
    SELECT id FROM graphile_worker.jobs
    WHERE attempts >= max_attempts AND locked_at IS NULL
      AND updated_at < now() - make_interval(days => $days)
    LIMIT 1000))`
// Tasks waiting behind another one in their queue count as late too. A run whose successor is
// enqueued while it works loses its remaining attempts, and has not failed.
export const readBacklog = sql('jobs.backlog')`
  SELECT count(*) FILTER (WHERE locked_at IS NOT NULL)::int AS running,
    count(*) FILTER (WHERE locked_at IS NULL AND attempts < max_attempts
                     AND run_at < now() - interval '30 seconds')::int AS late,
    count(*) FILTER (WHERE attempts >= max_attempts AND last_error IS NOT NULL)::int AS failed
  FROM graphile_worker.jobs`

/** Jobs before one, latest first; of one state, if it is given. */
export const listTasks = sql('tasks.list')`
  SELECT * FROM (
    SELECT j.id AS number!, j.task_identifier AS task!, j.attempts::int AS attempts!,
      j.max_attempts::int AS max_attempts!, j.run_at AS due_at!,
      left(j.last_error, 500) AS last_error,
      CASE WHEN j.locked_at IS NOT NULL THEN 'running'
        WHEN j.attempts >= j.max_attempts AND j.last_error IS NOT NULL THEN 'failed'
        WHEN j.run_at < now() - interval '30 seconds' THEN 'late' ELSE 'waiting' END AS status!
    FROM graphile_worker.jobs j
    WHERE $before?::bigint IS NULL OR j.id < $before
  ) AS t
  WHERE $status?::text IS NULL OR t.status = $status
  ORDER BY t.number DESC LIMIT $limit`

/** Tasks of all processes: being run, due for 30 s or more, given up. */
export type QueueBacklog = Record<'running' | 'late' | 'failed', number>

export async function addJob(
  db: Db,
  task: string,
  payload: object,
  { runAtMs, key, maxAttempts, queue }: EnqueueOptions,
): Promise<void> {
  await add.run(db, {
    task,
    payload: JSON.stringify(payload),
    queue: queue ?? null,
    runAtMs: runAtMs ?? null,
    maxAttempts: maxAttempts ?? null,
    key: key ?? null,
  })
}

/**
 * Schedules the next run of a periodic task.
 * @param mode `preserve_run_at`: one that waits keeps its time, so that frequent restarts do not
 *   postpone it
 */
export const addRepetition = (
  db: Db,
  task: string,
  afterMs: number,
  mode: 'replace' | 'preserve_run_at',
): Promise<void> => repeat.run(db, { task, seconds: afterMs / 1000, mode })

/** The name under which a process claims jobs: `node:<its UUID>:<start count>`. */
export const workerName = (nodeId: string, beginning: number): string =>
  `node:${nodeId}:${beginning}`

/**
 * Releases jobs claimed by dead processes and by earlier workers of this one, and queues locked
 * without a job.
 * @param worker the current name of this process's workers
 * @param all also releases jobs of processes that seem alive
 */
export async function unlockDeadWorkers(
  db: Db,
  nodeId: string,
  worker: string,
  all: boolean,
): Promise<void> {
  await unlockDead.run(db, { nodeId, worker, all })
  await unlockQueues.run(db)
}
