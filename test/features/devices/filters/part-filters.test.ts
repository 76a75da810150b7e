/**
 * The filter of lists of the parts of one thing, such as the items of a job; none of them reads a
 * table from its beginning.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Db, type Statement, unnamed } from '../../../../src/platform/database/connect.ts'
import type { FilteredRequest, PageOf } from '../../../../src/platform/database/filtered-list.ts'
import { pageOfCommands } from '../../../../src/features/devices/commands/store.ts'
import { commandFields } from '../../../../src/features/devices/commands/schema.ts'
import { pageOfItems } from '../../../../src/features/fleet/bulk-jobs/item-store.ts'
import { jobItemFields } from '../../../../src/features/fleet/bulk-jobs/schema.ts'
import { pageOfDevices } from '../../../../src/features/fleet/rotation-campaigns/device-store.ts'
import { campaignDeviceFields } from '../../../../src/features/fleet/rotation-campaigns/schema.ts'
import { pageOfDeliveries } from '../../../../src/features/events/webhooks/delivery-log-store.ts'
import { deliveryFields } from '../../../../src/features/events/webhooks/schema.ts'
import { formatId, newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { type ListFields, readListFilter } from '../../../../src/platform/lib/list-filter.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { expectEach, list } from '../../../support/filters.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

async function insertDevices(app: TestApp, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newUuid()).sort()
  await app.database.pool.query(
    `INSERT INTO devices (workspace_id, id, device_key, name)
     SELECT $1, id, id::text, 'Device' FROM unnest($2::uuid[]) AS id`,
    [app.seed.uuid, ids],
  )
  return ids
}

test('the items of a job are found by status', async (t) => {
  const app = await freshTenants(t)
  const { pool } = app.database
  const ids = await insertDevices(app, 4)
  const [a, b, c, d] = ids.map((id) => formatId('dev', id)) as [string, string, string, string]
  const job = newUuid()
  await pool.query(
    `INSERT INTO jobs (workspace_id, id, action, status, actor_kind)
     VALUES ($1, $2, 'tag', 'running', 'user')`,
    [app.seed.uuid, job],
  )
  await pool.query(
    `INSERT INTO job_items (workspace_id, job_id, device_id, status, code, ended_at)
     SELECT $1, $2, item.* FROM unnest($3::uuid[], $4::text[], $5::text[], $6::timestamptz[]) item`,
    [
      app.seed.uuid,
      job,
      ids,
      ['succeeded', 'failed', 'failed', 'pending'],
      [null, 'device_not_found', 'invalid_transition', null],
      ['2026-01-01', '2026-01-02', '2026-01-03', null],
    ],
  )
  const items = `jobs/${formatId('job', job)}/items`
  const ofJob: [string, string[]][] = [
    ['status = failed', [b, c]],
    ['status != failed', [a, d]],
    ['code = device_not_found', [b]],
    ['code = "device_*" OR status = pending', [b, d]],
    ['code:* AND ended_at >= 2026-01-03', [c]],
    [`device_id = ${b}`, [b]],
    [`device_id != ${b} AND status = failed`, [c]],
    [`device_id = ${a} OR device_id = ${d}`, [a, d]],
  ]
  await expectEach(app, items, 'device_id', [...ofJob, ['status = cancelled', []]])
  await pool.query(`UPDATE jobs SET status = 'cancelled', ended_at = now() WHERE id = $1`, [job])
  await expectEach(app, items, 'device_id', [
    ['status = cancelled', [d]],
    ['status = pending', []],
    ['NOT status = pending AND status != failed', [a, d]],
  ])
  const both = await list(app, items, { filter: 'code:*', status: 'cancelled' })
  assert.deepEqual(both.body.items, [])
  const shown = await list(app, items, { limit: 1 })
  assert.equal(shown.body.items[0].device_key, ids[0])
})

test('a filter that no item of a job can satisfy is answered without a search', async (t) => {
  const app = await freshTenants(t)
  const { pool } = app.database
  const job = newUuid()
  await pool.query(
    `WITH job AS (
       INSERT INTO jobs (workspace_id, id, action, status, actor_kind)
       VALUES ($1, $2, 'tag', 'running', 'user') RETURNING *
     )
     INSERT INTO job_items (workspace_id, job_id, device_id)
     SELECT $1, $2, gen_random_uuid() FROM job, generate_series(1, 5001)`,
    [app.seed.uuid, job],
  )
  const path = `jobs/${formatId('job', job)}/items`
  const none = await list(app, path, { filter: 'ended_at > 2020-01-01', status: 'cancelled' })
  assert.deepEqual(none.body, { items: [], next_cursor: null })
})

test('alternatives that are rare among the items of a job are found at once', async (t) => {
  const app = await freshTenants(t)
  const { pool } = app.database
  const job = newUuid()
  await pool.query(
    `WITH job AS (
       INSERT INTO jobs (workspace_id, id, action, status, actor_kind)
       VALUES ($1, $2, 'tag', 'running', 'user') RETURNING *
     )
     INSERT INTO job_items (workspace_id, job_id, device_id, status, code)
     SELECT $1, $2, ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid,
       CASE WHEN n > 9000 THEN 'failed' ELSE 'succeeded' END,
       CASE WHEN n > 9001 THEN 'c' || n % 2 END FROM job, generate_series(1, 9004) AS n`,
    [app.seed.uuid, job],
  )
  const filter = 'code = c0 OR code = c1 OR status = failed'
  const { body } = await list(app, `jobs/${formatId('job', job)}/items`, { filter, limit: 4 })
  assert.deepEqual(
    body.items.map((item: { code: string | null }) => item.code),
    [null, 'c0', 'c1', 'c0'],
  )
  assert.equal(body.next_cursor, null)
})

test('the devices of a campaign are found by status', async (t) => {
  const app = await freshTenants(t)
  const { pool } = app.database
  const ids = await insertDevices(app, 4)
  const [, b, c, d] = ids.map((id) => formatId('dev', id)) as [string, string, string, string]
  const campaign = newUuid()
  await pool.query(
    `INSERT INTO rotation_campaigns (workspace_id, id, status, wave_size, pause_s,
       confirm_within_s, max_failure_rate, actor_kind)
     VALUES ($1, $2, 'running', 1, 0, 60, 0, 'user')`,
    [app.seed.uuid, campaign],
  )
  await pool.query(
    `INSERT INTO rotation_campaign_devices (workspace_id, campaign_id, device_id, status, code)
     SELECT $1, $2, item.* FROM unnest($3::uuid[], $4::text[], $5::text[]) item`,
    [
      app.seed.uuid,
      campaign,
      ids,
      ['confirmed', 'failed', 'failed', 'due'],
      [null, 'not_confirmed', 'device_not_found', null],
    ],
  )
  await expectEach(app, `rotation-campaigns/${formatId('cmp', campaign)}/devices`, 'device_id', [
    ['status = failed AND code != not_confirmed', [c]],
    ['code = not_confirmed', [b]],
    [`device_id = ${d}`, [d]],
    ['asked_at > 2020-01-01', []],
  ])
})

test('commands are found by name, creator and time', async (t) => {
  const app = await freshTenants(t)
  const [id, other] = (await insertDevices(app, 2)) as [string, string]
  const rows: [string, string, string, string | null, string][] = [
    [id, 'open', 'failed', 'jammed: left', 'usr_a'],
    [id, 'close', 'acknowledged', null, 'usr_b'],
    [id, 'open', 'pending', null, 'usr_a'],
    [other, 'open', 'failed', 'jammed', 'usr_a'],
  ]
  for (const [device, name, status, error, by] of rows) {
    await app.database.pool.query(
      `INSERT INTO device_commands (workspace_id, id, device_id, name, payload, status, error,
         created_by, expires_at, ended_at)
       VALUES ($1, $2, $3, $4, '{}', $5, $6, $7, now() + interval '1 hour',
         CASE $5 WHEN 'pending' THEN NULL ELSE now() END)`,
      [app.seed.uuid, newUuid(), device, name, status, error, by],
    )
  }
  const path = `devices/${formatId('dev', id)}`
  await expectEach(app, `${path}/commands`, 'status', [
    ['name = open', ['pending', 'failed']],
    ['name = open AND status = failed', ['failed']],
    ['error = "jammed*"', ['failed']],
    ['created_by = usr_a AND NOT error:*', ['pending']],
    ['ended_at > 2020-01-01', ['acknowledged', 'failed']],
    ['created_at < 2020-01-01', []],
  ])
  await app.database.pool.query(
    `UPDATE device_commands SET expires_at = now() WHERE workspace_id = $1 AND status = 'pending'`,
    [app.seed.uuid],
  )
  const late = await list(app, `${path}/commands`, { filter: 'name = open', status: 'timed_out' })
  assert.deepEqual(
    late.body.items.map((item: { status: string }) => item.status),
    ['timed_out'],
  )
})

test('notes on a device are found by author and time', async (t) => {
  const app = await freshTenants(t)
  const [id] = (await insertDevices(app, 1)) as [string]
  const path = `devices/${formatId('dev', id)}`
  for (const [text, author] of [
    ['first', 'usr_a'],
    ['second', 'usr_b'],
    ['third', 'usr_a'],
  ]) {
    await app.database.pool.query(
      `INSERT INTO device_notes (workspace_id, id, device_id, text, author_kind, author_id)
       VALUES ($1, $2, $3, $4, 'user', $5)`,
      [app.seed.uuid, newUuid(), id, text, author],
    )
  }
  await expectEach(app, `${path}/notes`, 'text', [
    ['author = usr_a', ['third', 'first']],
    ['author != usr_a AND created_at > 2020-01-01', ['second']],
    ['updated_at < 2020-01-01', []],
  ])
})

test('versions of templates are found by changed member', async (t) => {
  const app = await freshTenants(t)
  const path = `device-templates/${app.seed.template.id}`
  for (const body of [{ name: 'B' }, { name: 'C', description: 'c' }, { description: 'd' }]) {
    await app.call('PATCH', `/workspaces/${app.seed.id}/${path}`, {
      as: as.platformKey(app.seed.platformKey),
      body,
    })
  }
  const versions = (await list(app, `${path}/versions`, {})).body.items
  assert.deepEqual(
    versions.map((item: { version: number }) => item.version),
    [4, 3, 2, 1],
  )
  await expectEach(app, `${path}/versions`, 'at', [
    ['changed:name', [versions[2].at, versions[1].at].toReversed()],
    ['changed:description AND NOT changed:name', [versions[0].at]],
    [`actor = ${versions[0].actor.id}`, [versions[0].at, versions[1].at, versions[2].at]],
    ['at < 2020-01-01', []],
  ])
})

test('deliveries are found by event, device, status and response', async (t) => {
  const app = await freshTenants(t)
  const created = await app.call('POST', `/workspaces/${app.seed.id}/webhooks`, {
    as: as.platformKey(app.seed.platformKey),
    body: { url: 'https://receiver.example.com/' },
  })
  const webhook = parseId('whk', created.body.id)
  const [device] = (await insertDevices(app, 1)) as [string]
  const attempt = (status: number | null, failure: string | null) =>
    JSON.stringify([
      {
        at: 0,
        url: '',
        signature: '',
        status: status === 200 ? 500 : 200,
        failure: null,
        answer: '',
        took_ms: 1,
      },
      { at: 0, url: '', signature: '', status, failure, answer: '', took_ms: 1 },
    ])
  const rows: [string, string, string | null, string][] = [
    ['device.registered', 'dead', device, attempt(503, null)],
    ['device.registered', 'delivered', null, attempt(200, null)],
    ['member.joined', 'dead', null, attempt(null, 'slow')],
  ]
  for (const [index, [type, status, subject, attempts]] of rows.entries()) {
    await app.database.pool.query(
      `INSERT INTO webhook_deliveries (workspace_id, webhook_id, id, event_id, seq, subject_id,
         type, status, tries, tried_at, attempts)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, now(), $9)`,
      [app.seed.uuid, webhook, newUuid(), newUuid(), index, subject, type, status, attempts],
    )
  }
  const path = `webhooks/${created.body.id}/deliveries`
  await expectEach(app, path, 'status', [
    ['status = dead', ['dead', 'dead']],
    ['status = delivered', ['delivered']],
    ['type = "device.*"', ['delivered', 'dead']],
    ['last_attempt.status = "5*"', ['dead']],
    ['last_attempt.status = 200', ['delivered']],
    ['last_attempt.failure = slow AND type = member.joined', ['dead']],
    [`device_id = ${formatId('dev', device)}`, ['dead']],
    ['last_attempt.at < 2020-01-01', []],
  ])
  const both = await list(app, path, { filter: 'type = device.registered', status: 'dead' })
  assert.equal(both.body.items.length, 1)
})

/** The plans of the first page and of the one behind it. */
async function plansOf(
  db: Db,
  pageOf: (db: Db, request: FilteredRequest) => ReturnType<PageOf<unknown>>,
  request: Omit<FilteredRequest, 'after'>,
) {
  const plans: string[] = []
  const explaining = {
    async query<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
      const rows = await db.query<object>(unnamed(`EXPLAIN ${statement.text}`), values)
      plans.push(rows.flatMap((row) => Object.values(row)).join('\n'))
      return db.query<Row>(statement, values)
    },
  } as unknown as Db
  const { next } = await pageOf(explaining, { ...request, after: undefined })
  await pageOf(explaining, { ...request, after: next })
  return plans
}

/** A job, a campaign, a device and a webhook by one UUID, each with some thousands of parts. */
async function insertParts(
  { database, seed }: TestApp,
  parent: string,
  index: number,
): Promise<void> {
  const { pool } = database
  const shared = [seed.uuid, parent, index]
  await pool.query(
    `WITH job AS (INSERT INTO jobs (workspace_id, id, action, status, actor_kind)
       VALUES ($1, $2, 'tag', 'running', 'user') RETURNING workspace_id, id),
     campaign AS (INSERT INTO rotation_campaigns (workspace_id, id, status, wave_size, pause_s,
       confirm_within_s, max_failure_rate, actor_kind)
       VALUES ($1, $2, 'running', 1, 0, 60, 0, 'user')),
     device AS (INSERT INTO devices (workspace_id, id, device_key, name)
       VALUES ($1, $2, 'k' || $3::int, ''))
     SELECT`,
    shared,
  )
  await pool.query(
    `INSERT INTO job_items (workspace_id, job_id, device_id, status, code)
     SELECT $1, $2, gen_random_uuid(), CASE WHEN n % 20 = 0 THEN 'failed' ELSE 'succeeded' END,
            CASE WHEN n % 20 = 0 THEN 'c' || n % 3 END FROM generate_series($3::int, 3000) n`,
    shared,
  )
  await pool.query(
    `INSERT INTO rotation_campaign_devices (workspace_id, campaign_id, device_id, status, code)
     SELECT workspace_id, job_id, device_id,
            CASE status WHEN 'failed' THEN status ELSE 'confirmed' END,
            CASE status WHEN 'failed' THEN 'not_confirmed' END FROM job_items
     WHERE workspace_id = $1 AND job_id = $2 AND $3 = $3`,
    shared,
  )
  await pool.query(
    `INSERT INTO device_commands (workspace_id, id, device_id, name, payload, status, expires_at,
       ended_at)
     SELECT $1, gen_random_uuid(), $2, 'n' || n % 9, '{}', 'failed', now(), now()
     FROM generate_series($3::int, 3000) n`,
    shared,
  )
  await pool.query(
    `INSERT INTO webhook_deliveries (workspace_id, webhook_id, id, event_id, seq, type, status,
       tries, attempts)
     SELECT $1, $2, gen_random_uuid(), gen_random_uuid(), n, 'a.b',
            CASE WHEN n % 20 = 0 THEN 'dead' ELSE 'delivered' END, 1, '[]'
     FROM generate_series($3::int, 3000) n`,
    shared,
  )
}

test('no filter of parts reads or sorts more than its page', async (t) => {
  const app = await freshTenants(t)
  const { database, seed } = app
  const { pool } = database
  const parents = [newUuid(), newUuid()]
  for (const [index, parent] of parents.entries()) await insertParts(app, parent, index)
  await pool.query(
    `INSERT INTO events (workspace_id, id, type, data)
     SELECT $1, gen_random_uuid(), 'a.b', '{}' FROM generate_series(1, 3000)`,
    [seed.uuid],
  )
  await pool.query(
    'ANALYZE job_items, rotation_campaign_devices, device_commands, webhook_deliveries, events',
  )
  const [parent] = parents as [string]
  const { db } = database.within(seed.uuid)
  for (const [pageOf, fields, filter, index] of [
    [pageOfItems, jobItemFields, '', 'job_items_pkey'],
    [pageOfItems, jobItemFields, 'status = failed', 'job_items_status'],
    [pageOfItems, jobItemFields, 'code = c1', 'job_items_code'],
    [pageOfItems, jobItemFields, 'status != succeeded AND ended_at > 2020-01-01', 'job_items_pkey'],
    [pageOfItems, jobItemFields, `device_id = ${formatId('dev', parent)}`, 'job_items_pkey'],
    [pageOfDevices, campaignDeviceFields, 'status = failed', 'rotation_campaign_devices_status'],
    [pageOfDevices, campaignDeviceFields, 'code = not_confirmed', 'rotation_campaign_devices_code'],
    [pageOfCommands, commandFields, 'name = n1 AND status = failed', 'device_commands_device'],
    [pageOfDeliveries, deliveryFields, 'status = dead', 'webhook_deliveries_open'],
    [pageOfDeliveries, deliveryFields, 'status = delivered', 'webhook_deliveries_pkey'],
  ] as [PageOf<unknown>, ListFields, string, string][]) {
    const node = filter === '' ? undefined : readListFilter(filter, fields)
    const page = (by: Db, request: FilteredRequest) => pageOf(by, seed.uuid, request, parent)
    for (const plan of await plansOf(db, page, { node, limit: 20 })) {
      assert.doesNotMatch(plan, /Seq Scan on (?!devices )|Sort/, `${filter}\n${plan}`)
      assert.ok(
        plan.includes(` using ${index} `) || plan.includes(` on ${index} `),
        `${filter}\n${plan}`,
      )
    }
  }
})
