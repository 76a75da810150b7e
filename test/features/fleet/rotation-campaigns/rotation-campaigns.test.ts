/** Rotation campaigns: waves, who has confirmed, who has failed, and that nobody is locked out. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { deleteOldWork } from '../../../../src/features/fleet/device-work/work-run.ts'
import { campaignKind } from '../../../../src/features/fleet/rotation-campaigns/campaign-kind.ts'
import { formatId, newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import type { SeededDevice } from '../../../support/credentials.ts'
import { actorsOf, holdUp } from '../../../support/fleet.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import {
  advance,
  age,
  base,
  codes,
  connect,
  me,
  owner,
  post,
  read,
  rotate,
  seedDevices,
  started,
  turn,
} from './campaigns.ts'

suite('a rotation campaign', () => {
  const tenant = useTenants()

  test('continues to the next wave when the devices of one have used new secrets', async (t) => {
    const app = await tenant(t)
    const [one, two] = (await seedDevices(app, 4)) as [SeededDevice, SeededDevice]
    const order = { filter: '', wave_size: 2, pause_s: 0, confirm_within_s: 3_600 }
    const first = await started(app, order)
    const { id } = first
    assert.deepEqual([first.wave, first.counts.due, first.counts.waiting], [1, 2, 2])
    const path = `/workspaces/${app.seed.id}/devices/${one.id}/commands`
    const [command] = (await app.call('GET', path, owner(app))).body.items
    assert.deepEqual([command.rotation_campaign_id, command.job_id], [id, null])
    const waiting: { device_id: string }[] = await codes(app, id, 'waiting')
    assert.deepEqual(
      waiting.map(({ device_id }) => device_id),
      [one.id, two.id],
    )
    assert.equal((await me(app, one.token)).body.rotation_due, true)
    const fresh = await rotate(app, one)
    assert.deepEqual((await advance(app, id)).counts.rotated, 1)
    assert.equal((await me(app, one.token)).status, 200, 'the old secret is valid until then')
    assert.equal((await me(app, fresh)).status, 200)
    assert.deepEqual((await advance(app, id)).counts.confirmed, 1)
    assert.equal((await read(app, id)).wave, 1, 'one device of the wave is missing')
    assert.equal((await me(app, await rotate(app, two))).status, 200)
    const second = await advance(app, id)
    assert.deepEqual([second.wave, second.counts.confirmed, second.counts.waiting], [2, 2, 2])
  })

  test('waits for no device that is offline, and locks none out', async (t) => {
    const app = await tenant(t)
    const devices = await seedDevices(app, 2)
    const { id } = await started(app, { filter: '', wave_percent: 50, pause_s: 0 })
    await age(app, id)
    const second = await advance(app, id)
    assert.deepEqual([second.wave, second.counts.waiting, second.counts.failed], [2, 2, 0])
    await age(app, id)
    const over = await advance(app, id)
    assert.deepEqual([over.status, over.counts.waiting], ['completed', 2])
    for (const { token } of devices) {
      const { status, body } = await me(app, token)
      assert.deepEqual([status, body.rotation_due], [200, true])
    }
  })

  test('says by when a device that was online must have used a new secret', async (t) => {
    const app = await tenant(t)
    const devices = await seedDevices(app, 2)
    const { id } = await started(app, { filter: '', wave_size: 2, confirm_within_s: 600 })
    await connect(app, devices.slice(0, 1))
    const before = Date.now()
    assert.equal((await advance(app, id)).counts.notified, 1)
    const { body } = await app.call('GET', `${base(app)}/${id}/devices`, owner(app))
    const [online, offline] = devices.map(({ id: device }) =>
      body.items.find(({ device_id }: { device_id: string }) => device_id === device),
    )
    assert.deepEqual([offline.status, offline.confirm_by], ['waiting', null])
    const away = Date.parse(online.confirm_by) - before
    assert.ok(Math.abs(away - 600_000) < 60_000, `${away} ms`)
  })

  test('halts when too many fail, and continues on request', async (t) => {
    const app = await tenant(t)
    const devices = await seedDevices(app, 4)
    const list = devices.map(({ id }) => id)
    const order = { device_ids: list, wave_size: 2, pause_s: 0, max_failure_rate: 0.4 }
    const { id } = await started(app, order)
    await connect(app, devices.slice(0, 1))
    assert.equal((await advance(app, id)).counts.notified, 1)
    assert.equal((await me(app, await rotate(app, devices[1] as SeededDevice))).status, 200)
    await age(app, id)
    const halted = await advance(app, id)
    assert.deepEqual([halted.status, halted.wave, halted.counts.due], ['halted', 1, 2])
    assert.deepEqual(await codes(app, id, 'failed'), [
      { device_id: devices[0]?.id, code: 'not_confirmed' },
    ])
    assert.equal(
      (await me(app, devices[0]?.token ?? '')).status,
      200,
      'the device is not locked out',
    )
    assert.equal((await turn(app, id, 'pause')).body.code, 'invalid_transition')
    assert.equal((await turn(app, id, 'resume')).status, 200)
    const on = await advance(app, id)
    assert.deepEqual([on.status, on.wave, on.counts.due], ['running', 2, 0])
    for (const device of devices.slice(2)) await me(app, await rotate(app, device))
    assert.equal(
      (await advance(app, id)).status,
      'completed',
      'only later secrets confirm the rotation',
    )
  })

  test('is started and resumed by a person, and halted and completed by the service', async (t) => {
    const app = await tenant(t)
    const devices = await seedDevices(app, 1)
    const { id } = await started(app, { filter: '', wave_size: 1, pause_s: 0 })
    await connect(app, devices)
    await advance(app, id)
    await age(app, id)
    assert.equal((await advance(app, id)).status, 'halted')
    assert.equal((await turn(app, id, 'resume')).status, 200)
    assert.equal((await advance(app, id)).status, 'completed')
    const person = { kind: 'user', id: app.seed.owner.id }
    const service = { kind: 'service', id: null }
    assert.deepEqual(await actorsOf(app, id, 4), {
      'rotation_campaign.created': person,
      'rotation_campaign.halted': service,
      'rotation_campaign.resumed': person,
      'rotation_campaign.completed': service,
    })
  })

  test('counts devices that are gone as failed', async (t) => {
    const app = await tenant(t)
    const devices = await seedDevices(app, 3)
    const { pool } = app.app.database
    await pool.query("UPDATE devices SET status = 'decommissioned' WHERE id = $1", [
      devices[0]?.uuid,
    ])
    const order = { device_ids: devices.map(({ id }) => id), wave_percent: 100 }
    const { id } = await started(app, { ...order, max_failure_rate: 1 })
    await pool.query('DELETE FROM devices WHERE id = $1', [devices[1]?.uuid])
    const counts = (await advance(app, id)).counts
    assert.deepEqual([counts.failed, counts.waiting], [2, 1])
    const failed = await codes(app, id, 'failed')
    assert.deepEqual(
      failed.map(({ code }: { code: string }) => code),
      ['invalid_transition', 'device_not_found'],
    )
  })

  test('asks each device once, however many processes continue with it', async (t) => {
    const app = await tenant(t)
    const devices = await seedDevices(app, 3)
    const { body } = await post(app, { filter: '', wave_size: 1, pause_s: 0 })
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([advance(app, body.id), advance(app, body.id), advance(app, body.id)])
      await age(app, body.id)
    }
    await until('it ends', async () => (await advance(app, body.id)).status === 'completed')
    const { rows } = await app.app.database.pool.query(
      `SELECT device_id FROM device_commands WHERE workspace_id = $1 ORDER BY device_id`,
      [app.seed.uuid],
    )
    assert.deepEqual(
      rows.map(({ device_id }: { device_id: string }) => device_id),
      devices.map(({ uuid }) => uuid),
    )
  })

  test('is paused and cancelled', async (t) => {
    const app = await tenant(t)
    await seedDevices(app, 2)
    const { id } = await started(app, { filter: '', wave_size: 1, pause_s: 0 })
    assert.equal((await turn(app, id, 'pause')).body.status, 'paused')
    assert.equal((await turn(app, id, 'pause')).status, 200, 'a repeated call has the same success')
    await age(app, id)
    assert.equal((await advance(app, id)).wave, 1, 'no other wave starts')
    assert.equal((await turn(app, id, 'cancel')).body.status, 'cancelled')
    assert.equal((await advance(app, id)).counts.due, 1)
    assert.equal((await turn(app, id, 'resume')).body.code, 'invalid_transition')
    const { body } = await app.call('GET', base(app), owner(app))
    assert.deepEqual(
      body.items.map((campaign: { id: string }) => campaign.id),
      [id],
    )
  })

  test('is cancelled with the counts of that moment', async (t) => {
    const app = await tenant(t)
    const [one, two] = (await seedDevices(app, 3)) as [SeededDevice, SeededDevice]
    const { id } = await started(app, { filter: '', wave_size: 3 })
    await me(app, await rotate(app, one))
    await rotate(app, two)
    const cancelled = await Promise.all([turn(app, id, 'cancel'), turn(app, id, 'cancel')])
    for (const { body } of cancelled) {
      const { waiting, rotated, confirmed } = body.counts
      assert.deepEqual([body.status, waiting, rotated, confirmed], ['cancelled', 1, 1, 1])
    }
    const { rows } = await app.app.database.pool.query(
      `SELECT data -> 'counts' AS counts FROM events
       WHERE type = 'rotation_campaign.cancelled' AND workspace_id = $1`,
      [app.seed.uuid],
    )
    assert.deepEqual(rows, [{ counts: cancelled[0]?.body.counts }])
  })

  test('is cancelled after the devices that are just being asked', async (t) => {
    const app = await tenant(t)
    const devices = await seedDevices(app, 4)
    const hold = await holdUp(t, app, devices[1]?.uuid ?? '')
    const { id } = (await post(app, { filter: '', wave_size: 2, pause_s: 0 })).body
    await hold.isReached()
    const cancelling = turn(app, id, 'cancel')
    await hold.release()
    const { body } = await cancelling
    const { rows } = await app.app.database.pool.query(
      'SELECT FROM device_commands WHERE workspace_id = $1',
      [app.seed.uuid],
    )
    const asked = rows.length
    assert.equal(body.status, 'cancelled')
    assert.deepEqual([body.counts.waiting, body.counts.due], [asked, 4 - asked])
    assert.deepEqual((await advance(app, id)).counts, body.counts)
  })

  test('asks nobody while its workspace is deleted', async (t) => {
    const app = await tenant(t)
    await seedDevices(app, 1)
    const { id } = await started(app, { filter: '', wave_size: 1 })
    const { pool } = app.app.database
    const reset = `UPDATE rotation_campaigns SET wave = 0, wave_left = 0, due = 1, waiting = 0
                   WHERE id = $1`
    // First, as the service itself may still be at the campaign's beginning.
    await pool.query(
      `UPDATE workspaces SET status = 'deleting', delete_requested_at = now(), erase_at = now()
       WHERE id = $1`,
      [app.seed.uuid],
    )
    await pool.query(reset, [parseId('cmp', id)])
    await advance(app, id)
    const { rows } = await pool.query('SELECT wave FROM rotation_campaigns WHERE id = $1', [
      parseId('cmp', id),
    ])
    assert.deepEqual(rows, [{ wave: 0 }])
  })

  test('fails once if its devices cannot be determined', async (t) => {
    const app = await tenant(t)
    await seedDevices(app, 1)
    const { pool } = app.app.database
    const uuid = newUuid()
    await pool.query(
      `INSERT INTO rotation_campaigns (workspace_id, id, status, filter, wave_size, pause_s,
                                       confirm_within_s, max_failure_rate, actor_kind)
       VALUES ($1, $2, 'preparing', $3, 1, 1, 30, 1, 'service')`,
      [app.seed.uuid, uuid, `group = ${formatId('grp', newUuid())}`],
    )
    const id = formatId('cmp', uuid)
    const holder = await app.app.database.connect()
    t.after(() => holder.end())
    await holder.query('BEGIN')
    await holder.query('SELECT FROM rotation_campaigns WHERE id = $1 FOR UPDATE', [uuid])
    const runs = Promise.all([advance(app, id), advance(app, id)])
    const waiting = `SELECT FROM pg_stat_activity
      WHERE cardinality(pg_blocking_pids(pid)) > 0 AND query LIKE '%rotation_campaigns%'`
    await until('both wait for the campaign', async () => {
      return (await pool.query(waiting)).rows.length === 2
    })
    await holder.query('COMMIT')
    await runs
    const { status, failure, counts } = await read(app, id)
    assert.deepEqual([status, failure, counts.total], ['failed', 'invalid_request', 0])
    const { rows } = await pool.query(
      `SELECT FROM events WHERE type = 'rotation_campaign.failed' AND workspace_id = $1`,
      [app.seed.uuid],
    )
    assert.equal(rows.length, 1)
  })

  test('is deleted a year after its end', async (t) => {
    const app = await tenant(t)
    await seedDevices(app, 1)
    const { id } = await started(app, { filter: '', wave_size: 1 })
    await turn(app, id, 'cancel')
    const old = `UPDATE rotation_campaigns SET ended_at = now() - $2 * interval '1 day' WHERE id = $1`
    const path = `${base(app)}/${id}`
    for (const [days, status] of [
      [364, 200],
      [366, 404],
    ] as const) {
      await app.app.database.pool.query(old, [parseId('cmp', id), days])
      await deleteOldWork(campaignKind, app.services, new AbortController().signal)
      assert.equal((await app.call('GET', path, owner(app))).status, status)
    }
  })

  test('is refused without a size of waves, or without devices', async (t) => {
    const app = await tenant(t)
    for (const body of [{ filter: '' }, { filter: '', wave_size: 1, wave_percent: 1 }]) {
      const response = await post(app, body)
      assert.deepEqual([response.status, response.body.errors[0].pointer], [400, '/wave_size'])
    }
    assert.equal((await post(app, { wave_size: 1 })).body.errors[0].pointer, '/filter')
  })

  test('is one of twenty that are open, at most, however many come at once', async (t) => {
    const app = await tenant(t)
    await app.app.database.pool.query(
      `INSERT INTO rotation_campaigns (workspace_id, id, status, wave_size, pause_s,
                                       confirm_within_s, max_failure_rate, actor_kind)
       SELECT $1, gen_random_uuid(), 'paused', 1, 1, 1, 1, 'service' FROM generate_series(1, 18)`,
      [app.seed.uuid],
    )
    // It waits for a device that is away, and so does not end.
    await seedDevices(app, 1)
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => post(app, { filter: '', wave_size: 1 })),
    )
    const made = responses.filter(({ status }) => status === 201).length
    const refused = responses.filter(({ body: { code } }) => code === 'limit_reached').length
    assert.deepEqual([made, refused], [2, 8])
  })
})
