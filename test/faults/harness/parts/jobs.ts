/**
 * Starts jobs, and cancels most of them while they run. Each job ends, and the counts of the job,
 * of its event and of its audit entry are what happened to its devices.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatId, parseId } from '../../../../src/platform/lib/ids.ts'
import type { CallResult } from '../../../support/app.ts'
import { until } from '../../../support/until.ts'
import { type Part, sample, whileLoading, type World } from '../world.ts'
import type { Imports } from './imports.ts'

/** Two chunks, and a part of one. */
const FLEET = 1_200
const DELETED = 150
const END_MS = 120_000

interface Job {
  id: string
  /** Whether a cancel was acknowledged. */
  isCancelled: boolean
}

type Counts = Record<'total' | 'succeeded' | 'failed' | 'skipped' | 'cancelled' | 'pending', number>

interface Outcome {
  id: string
  action: string
  status: string
  failure: string | null
  total: number
  succeeded: number
  failed: number
  skipped: number
  items: Record<string, number> | null
  changes: number
  devices: number
  ends: { counts: Counts; action: string }[] | null
  events: { counts: Counts; action: string }[] | null
}

/** The state of jobs, from all places that report them. */
const OUTCOMES = `
  SELECT j.id, j.action, j.status, j.failure, j.total, j.succeeded, j.failed, j.skipped,
    (SELECT jsonb_object_agg(status, n) FROM (
       SELECT status, count(*) AS n FROM job_items i
       WHERE i.workspace_id = j.workspace_id AND i.job_id = j.id GROUP BY status) AS each) AS items,
    (SELECT count(*)::int FROM job_items i JOIN devices d
       ON d.workspace_id = i.workspace_id AND d.id = i.device_id
     WHERE i.workspace_id = j.workspace_id AND i.job_id = j.id) AS devices,
    coalesce((SELECT n FROM changed WHERE job = $2::jsonb ->> j.id::text), 0)::int AS changes,
    (SELECT jsonb_agg(jsonb_build_object('action', action, 'counts', detail -> 'counts'))
     FROM audit_log a WHERE a.workspace_id = j.workspace_id
       AND a.resource_kind = 'job' AND a.resource_id = $2::jsonb ->> j.id::text
       AND a.action <> 'job.created') AS ends,
    (SELECT jsonb_agg(jsonb_build_object('action', type, 'counts', data -> 'counts'))
     FROM events e WHERE e.workspace_id = j.workspace_id AND e.type LIKE 'job.%'
       AND e.type <> 'job.created' AND e.data ->> 'job_id' = $2::jsonb ->> j.id::text) AS events
  FROM jobs j WHERE j.workspace_id = $1 AND j.id = ANY($3::uuid[])`

const CHANGED = `
  WITH changed AS MATERIALIZED (
    SELECT data ->> 'job_id' AS job, count(*) AS n FROM events
    WHERE workspace_id = $1 AND type IN ('device.updated', 'device.deleted')
      AND data ->> 'job_id' = ANY(SELECT value FROM jsonb_each_text($2)) GROUP BY 1)`

export class Jobs implements Part {
  readonly #world: World
  readonly #imports: Imports
  #fleet: string[] = []
  #jobs: Job[] = []

  constructor(world: World, imports: Imports) {
    this.#world = world
    this.#imports = imports
  }

  async prepare(): Promise<void> {
    const { path, staff } = this.#world.place
    const rows = Array.from({ length: FLEET }, (_none, n) => ({ device_key: `F-${n}` }))
    const to = `${path}/devices/import`
    await this.#world.stream(to, staff, rows, (result) => {
      this.#fleet.push((result as { device_id: string }).device_id)
    })
  }

  load(): Promise<unknown> {
    const random = this.#world.random(7)
    return Promise.all([
      whileLoading(this.#world, 20, () => this.#tag(random)),
      whileLoading(this.#world, 150, () => this.#delete(random)),
    ])
  }

  #tag(random: () => number): Promise<void> {
    const set = { job: `${this.#world.round}-${this.#jobs.length}` }
    const device_ids = sample(random, this.#fleet, 600 + Math.floor(random() * 600))
    return this.#run(random, { action: 'tag', parameters: { set }, device_ids })
  }

  async #delete(random: () => number): Promise<void> {
    const device_ids = this.#imports.take(DELETED)
    if (device_ids.length > 0) await this.#run(random, { action: 'delete', device_ids })
  }

  async #run(random: () => number, body: object): Promise<void> {
    const world = this.#world
    const { path, staff } = world.place
    const made = await world.send('job', 'POST', `${path}/jobs`, { as: staff, body })
    if (made === undefined) return
    const job: Job = { id: made.body.id as string, isCancelled: false }
    this.#jobs.push(job)
    await sleep(random() * 300)
    if (random() > 0.7) return
    const cancel = (): Promise<CallResult | undefined> =>
      world.send('cancel', 'POST', `${path}/jobs/${job.id}/cancel`, { as: staff }, [409])
    const responses = await Promise.all([cancel(), cancel(), cancel()])
    job.isCancelled = responses.some((response) => response?.status === 200)
  }

  async check(): Promise<void> {
    const world = this.#world
    const jobs = this.#jobs.splice(0)
    const open = `SELECT id, status, action FROM jobs
                  WHERE ended_at IS NULL OR status = 'cancelling'`
    await until('jobs end', async () => (await world.rows(open)).length === 0, END_MS).catch(
      async () => world.violate(`jobs do not end: ${JSON.stringify(await world.rows(open))}`),
    )
    const names = Object.fromEntries(jobs.map(({ id }) => [parseId('job', id), id]))
    const { workspaceUuid } = world.place
    const values = [workspaceUuid, JSON.stringify(names), Object.keys(names)]
    const outcomes = await world.rows<Outcome>(`${CHANGED} ${OUTCOMES}`, values)
    for (const { id, isCancelled } of jobs) {
      const outcome = outcomes.find((each) => formatId('job', each.id) === id)
      if (outcome === undefined) world.violate(`${id} was created and is gone`)
      else if (isCancelled && outcome.status !== 'cancelled') {
        world.violate(`${id} was cancelled and is ${outcome.status}`)
      }
    }
    for (const outcome of outcomes) this.#checkOne(outcome)
  }

  #checkOne(job: Outcome): void {
    const { total, succeeded, failed, skipped, status } = job
    const left = total - succeeded - failed - skipped
    const counts: Counts = { total, pending: 0, succeeded, failed, skipped, cancelled: left }
    const items = job.items ?? {}
    const isSame = (ends: Outcome['ends']): boolean =>
      ends?.length === 1 &&
      ends[0]?.action === `job.${status}` &&
      Object.entries(counts).every(([name, n]) => ends[0]?.counts[name as keyof Counts] === n)
    const isRight =
      ['completed', 'cancelled'].includes(status) &&
      (status === 'cancelled' || left === 0) &&
      (items['succeeded'] ?? 0) === succeeded &&
      (items['failed'] ?? 0) === failed &&
      (items['skipped'] ?? 0) === skipped &&
      (items['pending'] ?? 0) === left &&
      job.changes === succeeded &&
      (job.action !== 'delete' || job.devices === left) &&
      isSame(job.ends) &&
      isSame(job.events)
    if (!isRight) this.#world.violate(`a job is not what happened: ${JSON.stringify(job)}`)
  }
}
