/** The life of a job: its permission, and how it is followed, cancelled and tried again. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import {
  actorsOf,
  changedDevices,
  continueJob,
  ended,
  holdUp,
  itemsOf,
  north,
  postJob,
  readJob,
  runJob,
  seedFleet,
  turnJob,
  writeJob,
} from '../../../support/fleet.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

/** Makes every change of one device fail, as a fault of ours would. */
async function poison(t: TestContext, { app }: TestApp, uuid: string): Promise<void> {
  const { pool } = app.database
  await pool.query(
    `CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE 'poison'; END $$;
     CREATE TRIGGER poison BEFORE UPDATE ON devices FOR EACH ROW
       WHEN (OLD.id = '${uuid}') EXECUTE FUNCTION poison()`,
  )
  t.after(() => pool.query('DROP FUNCTION poison CASCADE'))
}

const badOrders = [
  ['no devices', { ...north }, '/filter'],
  [
    'a list and a filter',
    { ...north, filter: '', device_ids: [formatId('dev', newUuid())] },
    '/filter',
  ],
  ['a device of nobody', { ...north, device_ids: [formatId('dev', newUuid())] }, '/device_ids/0'],
  ['no tags', { action: 'tag', filter: '' }, '/parameters/set'],
  [
    'an empty change',
    { action: 'tag', parameters: { set: {}, remove: [] }, filter: '' },
    '/parameters/set',
  ],
  ['what is of another action', { ...north, action: 'suspend', filter: '' }, '/parameters/set'],
  [
    'a template of nobody',
    {
      action: 'move_template',
      parameters: { template_id: formatId('tpl', newUuid()) },
      filter: '',
    },
    '/parameters/template_id',
  ],
  [
    'a large payload',
    {
      action: 'command',
      parameters: { name: 'x', payload: { a: 'x'.repeat(20_000) } },
      filter: '',
    },
    '/parameters/payload',
  ],
] as const

suite('the life of a job', () => {
  const tenant = useTenants()

  test('a filter that is empty means all devices, in more than one chunk', async (t) => {
    const app = await tenant(t)
    const { uuids } = await seedFleet(app, 1_203)
    const created = await postJob(app, { ...north, filter: '' })
    assert.equal(created.status, 201, created.text)
    assert.equal(created.body.status, 'preparing')
    const job = await ended(app, created.body.id)
    assert.deepEqual([job.counts.total, job.counts.succeeded], [1_203, 1_203])
    assert.deepEqual(await changedDevices(app, uuids), uuids)
  })

  test('a job is started by a person, and completed by the service', async (t) => {
    const app = await tenant(t)
    await seedFleet(app, 1)
    const { id } = await runJob(app, { ...north, filter: '' })
    assert.deepEqual(await actorsOf(app, id, 2), {
      'job.created': { kind: 'user', id: app.seed.owner.id },
      'job.completed': { kind: 'service', id: null },
    })
  })

  test('a filter means the devices that pass it', async (t) => {
    const app = await tenant(t)
    const active = await seedFleet(app, 3)
    const { ids } = await seedFleet(app, 2, 'suspended')
    const job = await runJob(app, { ...north, filter: 'status = suspended' })
    assert.equal(job.filter, 'status = suspended')
    assert.deepEqual(
      (await itemsOf(app, job.id)).map(({ device_id }) => device_id),
      ids,
    )
    assert.deepEqual(await changedDevices(app, active.uuids), [])
    const bad = await postJob(app, { ...north, filter: 'status = nothing' })
    assert.deepEqual([bad.status, bad.body.errors?.[0]?.pointer], [400, '/filter'])
  })

  test('items come in pages, in the order of the devices', async (t) => {
    const app = await tenant(t)
    const { ids } = await seedFleet(app, 5)
    const job = await runJob(app, { ...north, device_ids: ids.toReversed() })
    const path = `/workspaces/${app.seed.id}/jobs/${job.id}/items`
    const owner = { as: as.user(app.seed.owner.token) }
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await app.call('GET', `${path}?limit=2&status=succeeded${cursor}`, owner)
      seen.push(...body.items.map(({ device_id }: { device_id: string }) => device_id))
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
    assert.deepEqual(seen, ids)
    const bad = await app.call('GET', `${path}?cursor=x`, owner)
    assert.equal(bad.body.code, 'invalid_cursor')
    const list = await app.call('GET', `/workspaces/${app.seed.id}/jobs?status=completed`, owner)
    assert.deepEqual(
      list.body.items.map(({ id }: { id: string }) => id),
      [job.id],
    )
  })

  test('a job needs the permission of its action', async (t) => {
    const app = await tenant(t)
    const { ids } = await seedFleet(app, 1)
    const member = await seedUser(app, { [app.seed.uuid]: 'member' })
    const viewer = await seedUser(app, { [app.seed.uuid]: 'viewer' })
    const order = { action: 'delete', device_ids: ids }
    const refused = await postJob(app, order, as.user(member.token))
    assert.deepEqual([refused.status, refused.body.code], [403, 'permission_denied'])
    assert.match(refused.body.detail, /devices\.delete/)
    assert.equal(
      (await postJob(app, { ...north, device_ids: ids }, as.user(viewer.token))).status,
      403,
    )
    const allowed = { action: 'suspend', device_ids: ids }
    assert.equal((await postJob(app, allowed, as.user(member.token))).status, 201)
    assert.equal((await postJob(app, order, as.platformKey(app.seed.platformKey))).status, 201)
  })

  test('a job ends with the right of anyone who asked for it', async (t) => {
    const app = await tenant(t)
    const { ids, uuids } = await seedFleet(app, 1_200)
    const key = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
      as: as.user(app.seed.owner.token),
      body: { key_kind: 'platform' },
    })
    const held = uuids.toSorted()[700] as string
    const hold = await holdUp(t, app, held)
    const job = await postJob(app, { ...north, device_ids: ids }, as.platformKey(key.body.key))
    await until('the first chunk is done', async () => {
      return (await readJob(app, job.body.id)).counts.succeeded === 500
    })
    const gone = await app.call('DELETE', `/workspaces/${app.seed.id}/api-keys/${key.body.id}`, {
      as: as.user(app.seed.owner.token),
    })
    assert.equal(gone.status, 204)
    await hold.release()
    const last = await ended(app, job.body.id)
    assert.deepEqual([last.status, last.failure], ['failed', 'permission_denied'])
    assert.ok(
      last.counts.succeeded <= 1_000,
      'the current chunk is finished and no other is started',
    )
  })

  for (const [what, body, pointer] of badOrders) {
    test(`a job with ${what} is refused`, async (t) => {
      const app = await tenant(t)
      const { status, body: problem } = await postJob(app, body)
      assert.deepEqual([status, problem.errors?.[0]?.pointer], [400, pointer])
    })
  }

  test('a device with an error fails alone, and a retry processes only the failed devices', async (t) => {
    const app = await tenant(t)
    const { ids, uuids } = await seedFleet(app, 20)
    await app.app.database.pool.query(
      'UPDATE devices SET tags = \'{"site": "south"}\' WHERE id = $1',
      [uuids[3]],
    )
    const { pool } = app.app.database
    await poison(t, app, uuids[7] as string)
    const job = await runJob(app, { ...north, device_ids: ids })
    assert.deepEqual([job.counts.succeeded, job.counts.failed], [19, 1])
    const [failed] = await itemsOf(app, job.id, '&status=failed')
    assert.deepEqual([failed?.device_id, failed?.code], [ids[7], 'internal_error'])
    await pool.query('DROP TRIGGER poison ON devices')
    const retries = await Promise.all(
      Array.from({ length: 5 }, () => turnJob(app, job.id, 'retry')),
    )
    const made = retries.filter(({ status }) => status === 201)
    assert.equal(made.length, 1, 'concurrent requests create one retry')
    const names = new Set(retries.map(({ body }) => body.id))
    assert.equal(names.size, 1)
    const retry = await ended(app, made[0]?.body.id)
    assert.deepEqual([retry.retry_of, retry.counts.total, retry.counts.succeeded], [job.id, 1, 1])
    assert.deepEqual(await changedDevices(app, uuids), uuids, 'each device is changed once')
    const nothing = await turnJob(app, retry.id, 'retry')
    assert.deepEqual([nothing.status, nothing.body.code], [409, 'invalid_transition'])
  })

  test('a retry whose first job is deleted takes no devices, and never all', async (t) => {
    const app = await tenant(t)
    const { uuids } = await seedFleet(app, 2)
    const id = await writeJob(app, 'preparing', [])
    await continueJob(app, id)
    const job = await readJob(app, formatId('job', id))
    assert.deepEqual([job.status, job.failure, job.counts.total], ['failed', 'job_not_found', 0])
    assert.deepEqual(await changedDevices(app, uuids), [])
  })
})
