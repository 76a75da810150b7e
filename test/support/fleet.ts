/** Many devices at once, and jobs over them, for tests. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { jobKind } from '../../src/features/fleet/bulk-jobs/bulk-job-kind.ts'
import { stepOfJob } from '../../src/features/fleet/bulk-jobs/bulk-job-run.ts'
import { runWork } from '../../src/features/fleet/device-work/work-run.ts'
import { formatId, newUuid } from '../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from './app.ts'
import { until } from './until.ts'

export interface Fleet {
  /** Oldest first, as ids are sorted. */
  uuids: string[]
  /** `dev_…` */
  ids: string[]
}

/** Devices with an MQTT secret each, written straight into the database. */
export async function seedFleet(
  { app, seed }: TestApp,
  count: number,
  status = 'active',
): Promise<Fleet> {
  const uuids = Array.from({ length: count }, () => newUuid())
  const { pool } = app.database
  await pool.query(
    `INSERT INTO devices (workspace_id, id, device_key, name, template_id, status, suspended_from)
     SELECT $1, id, 'f-' || id, 'Fleet', $2, $3, CASE $3 WHEN 'suspended' THEN 'active' END
     FROM unnest($4::uuid[]) AS id`,
    [seed.uuid, seed.template.uuid, status, uuids],
  )
  await pool.query(
    `INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
     SELECT $1, id, 'mqtt', 1, sha256(id::text::bytea) FROM unnest($2::uuid[]) AS id`,
    [seed.uuid, uuids],
  )
  return { uuids, ids: uuids.map((uuid) => formatId('dev', uuid)) }
}

type Caller = Pick<TestApp, 'call' | 'seed'>

export const postJob = (
  { call, seed }: Caller,
  body: Record<string, unknown>,
  credential = as.user(seed.owner.token),
): Promise<CallResult> => call('POST', `/workspaces/${seed.id}/jobs`, { as: credential, body })

export const readJob = async ({ call, seed }: Caller, id: string): Promise<CallResult['body']> => {
  const path = `/workspaces/${seed.id}/jobs/${id}`
  return (await call('GET', path, { as: as.user(seed.owner.token) })).body
}

/** Waits for the end of a job. */
export const ended = (app: Caller, id: string): Promise<CallResult['body']> =>
  until(`job ${id} ends`, async () => {
    const job = await readJob(app, id)
    return job.ended_at !== null && job
  })

/** Starts a job and waits for its end. */
export async function runJob(
  app: Caller,
  body: Record<string, unknown>,
): Promise<CallResult['body']> {
  const created = await postJob(app, body)
  assert.equal(created.status, 201, created.text)
  return ended(app, created.body.id)
}

/** The outcome of the devices of a job. */
export async function itemsOf(
  { call, seed }: Caller,
  id: string,
  query = '',
): Promise<
  {
    device_id: string
    status: string
    code: string | null
    detail: string | null
    command: { id: string; status: string } | null
  }[]
> {
  const path = `/workspaces/${seed.id}/jobs/${id}/items?limit=200${query}`
  const response = await call('GET', path, { as: as.user(seed.owner.token) })
  assert.equal(response.status, 200, response.text)
  return response.body.items
}

/** The action of a job that changes every device. */
export const north = { action: 'tag', parameters: { set: { site: 'north' } } }

/** A device for each event about it, of these devices. */
export const changedDevices = async (
  { app }: TestApp,
  uuids: readonly string[],
): Promise<string[]> => {
  const { rows } = await app.database.pool.query<{ subject_id: string }>(
    'SELECT subject_id FROM events WHERE subject_id = ANY($1::uuid[]) ORDER BY subject_id',
    [uuids],
  )
  return rows.map(({ subject_id }) => subject_id)
}

/** The actors of a job or campaign by action, once the audit log has so many entries about it. */
export const actorsOf = (
  { call, seed }: Caller,
  id: string,
  count: number,
): Promise<Record<string, { kind: string; id: string | null }>> =>
  until(`${count} entries about ${id}`, async () => {
    const path = `/workspaces/${seed.id}/audit-log?resource=${id}`
    const { body } = await call('GET', path, { as: as.user(seed.owner.token) })
    const entries: { action: string; actor: { kind: string; id: string | null } }[] = body.items
    if (entries.length !== count) return false
    return Object.fromEntries(
      entries.map(({ action, actor: { kind, id: who } }) => [action, { kind, id: who }]),
    )
  })

export const turnJob = (app: TestApp, id: string, verb: 'cancel' | 'retry') =>
  app.call('POST', `/workspaces/${app.seed.id}/jobs/${id}/${verb}`, {
    as: as.user(app.seed.owner.token),
  })

export interface Hold {
  /** Resolves when a chunk waits for the device. */
  isReached(): Promise<unknown>
  release(): Promise<void>
}

/** Holds a job or campaign up at the chunk of a device, until it is released. */
export async function holdUp(
  t: Pick<TestContext, 'after'>,
  { app }: TestApp,
  uuid: string,
): Promise<Hold> {
  const client = await app.database.connect()
  const end = (): Promise<void> => client.end()
  t.after(end)
  await client.query('BEGIN')
  await client.query('SELECT FROM devices WHERE id = $1 FOR UPDATE', [uuid])
  // Unlike `pg_stat_activity`, it also has connections that were opened since the first look.
  const waiting = `SELECT FROM pg_locks
    WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`
  return {
    isReached: () =>
      until('a chunk waits', async () => (await client.query(waiting)).rows.length > 0),
    async release() {
      await client.query('COMMIT')
      await end()
    },
  }
}

/** Writes a job of which the queue knows nothing. */
export async function writeJob(
  { app, seed }: TestApp,
  status: 'preparing' | 'running',
  uuids: readonly string[],
): Promise<string> {
  const id = newUuid()
  const { pool } = app.database
  await pool.query(
    `INSERT INTO jobs (workspace_id, id, action, parameters, status, total, actor_kind)
     VALUES ($1, $2, 'tag', $3, $4, $5, 'service')`,
    [seed.uuid, id, north.parameters, status, uuids.length],
  )
  await pool.query(
    'INSERT INTO job_items (workspace_id, job_id, device_id) SELECT $1, $2, unnest($3::uuid[])',
    [seed.uuid, id, uuids],
  )
  return id
}

export async function continueJob({ services, seed }: TestApp, jobId: string): Promise<void> {
  const warn = (): void => {}
  const key = { workspaceId: seed.uuid, id: jobId }
  await runWork(jobKind, stepOfJob, { ...services, warn }, key, new AbortController().signal)
}
