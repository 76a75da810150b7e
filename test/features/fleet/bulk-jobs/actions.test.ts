/** The effect of each action of a job on devices, and the devices that it leaves as they are. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { seedDevice, seedMoid } from '../../../support/credentials.ts'
import { itemsOf, runJob, seedFleet } from '../../../support/fleet.ts'
import { useTenants } from '../../../support/suite-app.ts'

suite('jobs', () => {
  const tenant = useTenants()

  const devicesOf = async ({ app }: TestApp, uuids: readonly string[]) => {
    const { rows } = await app.database.pool.query<Record<string, unknown>>(
      'SELECT * FROM devices WHERE id = ANY($1::uuid[]) ORDER BY id',
      [uuids],
    )
    return rows
  }

  /** Audit entries and events of a kind about the devices of the workspace. */
  const eventsOf = async ({ app, seed }: TestApp, action: string) => {
    const { rows } = await app.database.pool.query<{
      resource_id: string
      actor_id: string
      detail: Record<string, unknown>
    }>(
      `SELECT resource_id, actor_id, detail FROM audit_log
       WHERE workspace_id = $1 AND action = $2 ORDER BY resource_id`,
      [seed.uuid, action],
    )
    const { rows: events } = await app.database.pool.query(
      'SELECT subject_id FROM events WHERE workspace_id = $1 AND type = $2',
      [seed.uuid, action],
    )
    assert.equal(events.length, rows.length, 'each entry has its event')
    return rows
  }

  const announced = async ({ app }: TestApp, uuids: readonly string[]): Promise<number> => {
    const { rows } = await app.database.pool.query<{ count: number }>(
      `SELECT count(*) AS count FROM changes WHERE kind = 'device' AND ref = ANY($1::uuid[])`,
      [uuids],
    )
    return rows[0]?.count ?? 0
  }

  test('tags are set and removed, and devices that have them already are skipped', async (t) => {
    const app = await tenant(t)
    const { ids, uuids } = await seedFleet(app, 3)
    await app.app.database.pool.query(
      `UPDATE devices SET tags = CASE id WHEN $1 THEN '{"site": "north"}'::jsonb
         ELSE '{"old": "1", "kept": "1"}' END WHERE id = ANY($2::uuid[])`,
      [uuids[0], uuids],
    )
    const parameters = { set: { site: 'north' }, remove: ['old'] }
    const job = await runJob(app, { action: 'tag', parameters, device_ids: ids })
    assert.equal(job.status, 'completed')
    const counts = { total: 3, pending: 0, succeeded: 2, failed: 0, skipped: 1, cancelled: 0 }
    assert.deepEqual(job.counts, counts)
    assert.equal(job.progress, 1)
    const [skipped] = await itemsOf(app, job.id, '&status=skipped')
    assert.deepEqual([skipped?.device_id, skipped?.code], [ids[0], 'unchanged'])
    const rows = await devicesOf(app, uuids)
    assert.deepEqual(rows[1]?.tags, { kept: '1', site: 'north' })
    const received = await eventsOf(app, 'device.updated')
    assert.deepEqual(
      received.map(({ resource_id }) => resource_id),
      ids.slice(1),
    )
    assert.equal(received[0]?.actor_id, app.seed.owner.id)
    assert.deepEqual(received[0]?.detail.before, { tags: { old: '1', kept: '1' } })
    assert.equal(received[0]?.detail.job_id, job.id)
  })

  test('a device that would have too many tags fails, the others do not', async (t) => {
    const app = await tenant(t)
    const { ids, uuids } = await seedFleet(app, 2)
    const full = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`t${n}`, '']))
    await app.app.database.pool.query('UPDATE devices SET tags = $2 WHERE id = $1', [
      uuids[0],
      full,
    ])
    const job = await runJob(app, {
      action: 'tag',
      parameters: { set: { site: 'north' } },
      device_ids: ids,
    })
    assert.deepEqual([job.counts.succeeded, job.counts.failed], [1, 1])
    const [failed] = await itemsOf(app, job.id, '&status=failed')
    assert.deepEqual([failed?.device_id, failed?.code], [ids[0], 'limit_reached'])
  })

  test('devices that wait are approved or rejected, and others are left as they are', async (t) => {
    const app = await tenant(t)
    const { ids, uuids } = await seedFleet(app, 4)
    await app.app.database.pool.query(
      `UPDATE devices SET approval = CASE id WHEN $1 THEN 'approved' WHEN $2 THEN 'rejected'
                                             ELSE 'pending' END,
                          status = CASE id WHEN $3 THEN 'decommissioned' ELSE status END
       WHERE id = ANY($4::uuid[])`,
      [uuids[0], uuids[1], uuids[3], uuids],
    )
    const rejecting = await runJob(app, { action: 'reject', device_ids: ids })
    const { succeeded, failed, skipped } = rejecting.counts
    assert.deepEqual([succeeded, failed, skipped], [1, 2, 1])
    const approving = await runJob(app, { action: 'approve', device_ids: ids })
    assert.deepEqual([approving.counts.succeeded, approving.counts.skipped], [2, 1])
    const [refused] = await itemsOf(app, approving.id, '&status=failed')
    assert.deepEqual([refused?.device_id, refused?.code], [ids[3], 'invalid_transition'])
    assert.deepEqual(
      (await devicesOf(app, uuids)).map(({ approval }) => approval),
      ['approved', 'approved', 'approved', 'pending'],
    )
    assert.deepEqual(
      (await eventsOf(app, 'device.approved')).map(({ resource_id, detail }) => [
        resource_id,
        detail.job_id,
        detail.before,
      ]),
      ids.slice(1, 3).map((id) => [id, approving.id, { approval: 'rejected' }]),
    )
    assert.equal((await eventsOf(app, 'device.rejected')).length, 1)
    assert.equal(await announced(app, uuids), 3)
  })

  test('devices move to another template, and to none', async (t) => {
    const app = await tenant(t)
    const { ids, uuids } = await seedFleet(app, 2)
    const parameters = { template_id: null }
    const job = await runJob(app, { action: 'move_template', parameters, device_ids: ids })
    assert.equal(job.counts.succeeded, 2)
    assert.deepEqual(
      (await devicesOf(app, uuids)).map(({ template_id }) => template_id),
      [null, null],
    )
    assert.equal(await announced(app, uuids), 2)
    const back = { template_id: app.seed.template.id }
    const all = await runJob(app, { action: 'move_template', parameters: back, filter: '' })
    assert.equal(all.counts.succeeded, 2)
    assert.equal(all.filter, '')
  })

  test('devices of a template that was deleted meanwhile fail by themselves', async (t) => {
    const app = await tenant(t)
    const { ids } = await seedFleet(app, 2)
    const template = newUuid()
    const { pool } = app.app.database
    await pool.query(
      `INSERT INTO device_templates (workspace_id, id, model_key, name, serial_format)
       VALUES ($1, $2, 'gone', 'Gone', 'S-%#f')`,
      [app.seed.uuid, template],
    )
    // The job finds the missing template when it gets to it.
    await pool.query(
      `CREATE FUNCTION forget_template() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         DELETE FROM device_templates WHERE model_key = 'gone'; RETURN NULL; END $$;
       CREATE TRIGGER forget AFTER INSERT ON jobs EXECUTE FUNCTION forget_template()`,
    )
    t.after(() => pool.query('DROP TRIGGER forget ON jobs'))
    const job = await runJob(app, {
      action: 'move_template',
      parameters: { template_id: formatId('tpl', template) },
      device_ids: ids,
    })
    const codes = (await itemsOf(app, job.id)).map(({ code }) => code)
    assert.deepEqual(codes, ['template_not_found', 'template_not_found'])
  })

  test('suspending and resuming follow the state machine', async (t) => {
    const app = await tenant(t)
    const active = await seedFleet(app, 2)
    const suspended = await seedFleet(app, 1, 'suspended')
    const gone = await seedFleet(app, 1, 'decommissioned')
    const ids = [...active.ids, ...suspended.ids, ...gone.ids]
    const job = await runJob(app, { action: 'suspend', device_ids: ids })
    const items = await itemsOf(app, job.id)
    assert.deepEqual(
      items.map(({ status, code }) => [status, code]),
      [
        ['succeeded', null],
        ['succeeded', null],
        ['skipped', 'unchanged'],
        ['failed', 'invalid_transition'],
      ],
    )
    assert.match(items[3]?.detail ?? '', /decommissioned/)
    assert.equal(await announced(app, active.uuids), 2)
    const [row] = await devicesOf(app, active.uuids)
    assert.deepEqual([row?.status, row?.suspended_from], ['suspended', 'active'])
    assert.ok(Number(row?.sessions_from) > 0, 'earlier sessions have ended')
    const back = await runJob(app, { action: 'resume', device_ids: ids })
    assert.deepEqual([back.counts.succeeded, back.counts.failed], [3, 1])
    const received = await eventsOf(app, 'device.resumed')
    assert.deepEqual(
      received.map(({ detail }) => detail.status),
      ['active', 'active', 'active'],
    )
    const becomes = { before: { status: 'suspended' }, after: { status: 'active' } }
    for (const { detail } of received) {
      assert.deepEqual({ before: detail.before, after: detail.after }, becomes)
    }
  })

  test('a reset leaves no secret, and a decommissioned device as it is', async (t) => {
    const app = await tenant(t)
    const live = await seedFleet(app, 2)
    const gone = await seedFleet(app, 1, 'decommissioned')
    const device_ids = [...live.ids, ...gone.ids]
    const job = await runJob(app, { action: 'reset_credentials', device_ids })
    assert.deepEqual([job.counts.succeeded, job.counts.failed], [2, 1])
    const { rows } = await app.app.database.pool.query(
      'SELECT FROM device_secrets WHERE device_id = ANY($1::uuid[])',
      [live.uuids],
    )
    assert.equal(rows.length, 0)
    assert.equal(await announced(app, live.uuids), 2)
  })

  test('a reset cancels a request to rotate that has not been sent', async (t) => {
    const app = await tenant(t)
    const device = await seedDevice(app, app.seed, 'active')
    const commands = `/workspaces/${app.seed.id}/devices/${device.id}/commands`
    const owner = { as: as.user(app.seed.owner.token) }
    const kept = await app.call('POST', commands, { ...owner, body: { name: 'reboot' } })
    assert.equal(kept.status, 201, kept.text)
    await runJob(app, { action: 'rotate', device_ids: [device.id] })
    await runJob(app, { action: 'reset_credentials', device_ids: [device.id] })
    const { body } = await app.call('GET', commands, owner)
    assert.deepEqual(
      body.items.map(({ name, status }: { name: string; status: string }) => [name, status]),
      [
        ['rotate_credentials', 'cancelled'],
        ['reboot', 'pending'],
      ],
    )
  })

  test('a device that is asked to rotate keeps its secret, is marked, and gets the command', async (t) => {
    const app = await tenant(t)
    const device = await seedDevice(app, app.seed, 'active')
    const me = () =>
      app.call('GET', '/devices/auth/me', { as: { authorization: `Bearer ${device.token}` } })
    assert.equal((await me()).body.rotation_due, false)
    await runJob(app, { action: 'rotate', device_ids: [device.id] })
    assert.equal((await me()).body.rotation_due, true)
    const { rows } = await app.app.database.pool.query<{ name: string }>(
      'SELECT name FROM device_commands WHERE device_id = $1',
      [device.uuid],
    )
    assert.deepEqual(rows, [{ name: 'rotate_credentials' }])
    const rotated = await app.call('POST', '/devices/auth/credentials/rotate', {
      as: { authorization: `Bearer ${device.token}` },
    })
    assert.equal(rotated.status, 200, rotated.text)
    const fresh = { authorization: `Bearer ${rotated.body.device_http_token}` }
    const after = await app.call('GET', '/devices/auth/me', { as: fresh })
    assert.equal(after.body.rotation_due, false)
  })

  test('a command goes to each device that takes one', async (t) => {
    const app = await tenant(t)
    const live = await seedFleet(app, 2)
    const gone = await seedFleet(app, 1, 'decommissioned')
    const job = await runJob(app, {
      action: 'command',
      parameters: { name: 'reboot', payload: { soft: true } },
      device_ids: [...live.ids, ...gone.ids],
    })
    assert.deepEqual([job.counts.succeeded, job.counts.failed], [2, 1])
    const { rows } = await app.app.database.pool.query<{ name: string; payload: unknown }>(
      'SELECT name, payload FROM device_commands WHERE workspace_id = $1',
      [app.seed.uuid],
    )
    assert.deepEqual(rows, [
      { name: 'reboot', payload: { soft: true } },
      { name: 'reboot', payload: { soft: true } },
    ])
  })

  test('a configuration is merged into that of each device, as a new version', async (t) => {
    const app = await tenant(t)
    const { ids, uuids } = await seedFleet(app, 2)
    await app.app.database.pool.query('UPDATE devices SET config = \'{"unit": 1}\' WHERE id = $1', [
      uuids[0],
    ])
    const order = { action: 'publish_config', parameters: { config: { unit: 1 } } }
    const job = await runJob(app, { ...order, device_ids: ids })
    assert.deepEqual([job.counts.succeeded, job.counts.skipped], [1, 1])
    const rows = await devicesOf(app, uuids)
    assert.deepEqual(
      rows.map(({ config }) => config),
      [{ unit: 1 }, { unit: 1 }],
    )
    assert.deepEqual(
      rows.map(({ config_version }) => config_version),
      [1, 2],
    )
  })

  for (const action of ['decommission', 'delete']) {
    test(`${action} releases the claim of a device first`, async (t) => {
      const app = await tenant(t)
      const { ids, uuids } = await seedFleet(app, 2)
      const phone = await seedMoid(app)
      const { pool } = app.app.database
      await pool.query(
        `INSERT INTO claims (workspace_id, id, shown_by, moid_id, code_hash, status, device_id,
                             expires_at, bound_at)
         VALUES ($1, $2, 'phone', $3, $4, 'bound', $5, now(), now())`,
        [app.seed.uuid, newUuid(), phone.uuid, Buffer.alloc(32, 3), uuids[0]],
      )
      await pool.query('UPDATE devices SET claimed_at = now() WHERE id = $1', [uuids[0]])
      const job = await runJob(app, { action, device_ids: ids })
      assert.equal(job.counts.succeeded, 2)
      assert.equal((await eventsOf(app, 'device.released')).length, 1)
      const rows = await devicesOf(app, uuids)
      assert.deepEqual(
        rows.map(({ status }) => status),
        action === 'delete' ? [] : ['decommissioned', 'decommissioned'],
      )
      const { rows: secrets } = await pool.query(
        'SELECT FROM device_secrets WHERE device_id = ANY($1::uuid[])',
        [uuids],
      )
      assert.equal(secrets.length, 0)
      assert.equal(await announced(app, uuids), 2)
    })
  }
})
