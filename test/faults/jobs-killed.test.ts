/**
 * kill -9 under a job, again and again: each of its devices is changed once, and all of them are.
 * MOORING_TEST_KILLS says how often; CI asks for more than a quick run does.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import pg from 'pg'
import { findEmbeddedPostgres } from '../../src/platform/database/embedded.ts'
import { parseId } from '../../src/platform/lib/ids.ts'
import { preparedDataDir, printedOwner, signIn, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const KILLS = Number(process.env.MOORING_TEST_KILLS ?? 1)
const DEVICES = 3_000 + 2_000 * KILLS

async function withDatabase<T>(dataDir: string, work: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client(await findEmbeddedPostgres(dataDir))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Devices, and a pause between their change and its result, so that kills come just there. */
const prepare = async (client: pg.Client, workspaceId: string): Promise<void> => {
  await client.query(
    `INSERT INTO devices (workspace_id, id, device_key, name)
     SELECT $1, gen_random_uuid(), 'k-' || n, 'k-' || n FROM generate_series(1, ${DEVICES}) AS n`,
    [workspaceId],
  )
  await client.query(
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       PERFORM pg_sleep(0.25); RETURN NULL; END $$;
     CREATE TRIGGER slow AFTER UPDATE ON job_items FOR EACH STATEMENT EXECUTE FUNCTION slow()`,
  )
}

/** Waits until the results of a chunk are being written. */
const isWriting = (client: pg.Client): Promise<unknown> =>
  until('results are written', async () => {
    const { rows } = await client.query(
      "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
    )
    return rows.length > 0
  })

test(`a job that is killed ${KILLS} times changes each device once`, {
  timeout: 300_000 + KILLS * 30_000,
}, async (t) => {
  const dataDir = await preparedDataDir(t)
  let service = await startService(t, dataDir)
  const owner = await signIn(service, printedOwner(service))
  const { body: workspaces } = await service.call('GET', '/workspaces', { headers: owner })
  const workspace = workspaces.items[0].id as string
  const workspaceId = parseId('ws', workspace) as string
  await withDatabase(dataDir, (client) => prepare(client, workspaceId))
  const created = await service.call('POST', `/workspaces/${workspace}/jobs`, {
    headers: owner,
    body: { action: 'tag', parameters: { set: { site: 'north' } }, filter: '' },
  })
  assert.equal(created.status, 201, created.text)
  const path = `/workspaces/${workspace}/jobs/${created.body.id}`
  const read = async () => (await service.call('GET', path, { headers: owner })).body
  let killedAtWork = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    // Now at random, now just between the change of devices and what is written of them.
    if (kill % 2 === 0) await withDatabase(dataDir, isWriting)
    else await sleep(Math.random() * 1_000)
    await service.stop('SIGKILL')
    const killedAt = Date.now()
    service = await startService(t, dataDir)
    const { ended_at: endedAt } = await read()
    // By now the rest may be done as well.
    if (endedAt === null || Date.parse(endedAt) > killedAt) killedAtWork += 1
  }
  assert.ok(killedAtWork > KILLS / 2, 'the process was killed while it worked')
  const job = await until('the job ends', async () => {
    const present = await read()
    return present.ended_at !== null && present
  })
  assert.equal(job.status, 'completed')
  assert.deepEqual([job.counts.total, job.counts.succeeded], [DEVICES, DEVICES])
  const received = await withDatabase(dataDir, async (client) => {
    const { rows } = await client.query<{ times: string; devices: string }>(
      `SELECT times, count(*) AS devices FROM (
         SELECT count(*) AS times FROM audit_log
         WHERE action = 'device.updated' AND workspace_id = $1 GROUP BY resource_id
       ) AS announced GROUP BY times`,
      [workspaceId],
    )
    return rows
  })
  assert.deepEqual(received, [{ times: '1', devices: String(DEVICES) }])
  assert.equal((await service.stop()).code, 0)
})
