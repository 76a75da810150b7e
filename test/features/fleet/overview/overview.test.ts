/** The overview counts what there is, and stops at its limit. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { as } from '../../../support/app.ts'
import { seedFleet } from '../../../support/fleet.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'

const exactly = (value: number) => ({ value, is_lower_bound: false })

suite('the overview of a workspace', () => {
  const tenant = useTenants()

  test('devices are counted by status, approval, claim and connection', async (t) => {
    const app = await tenant(t)
    const { call, seed } = app
    const before = await call('GET', `/workspaces/${seed.id}/overview`, {
      as: as.user(seed.owner.token),
    })
    assert.equal(before.status, 200, before.text)
    const fleet = await seedFleet(app, 3)
    await seedFleet(app, 2, 'suspended')
    const { pool } = app.app.database
    await pool.query(
      `UPDATE devices SET approval = 'pending', claimed_at = now() WHERE id = $1::uuid`,
      [fleet.uuids[0]],
    )
    const { body } = await call('GET', `/workspaces/${seed.id}/overview`, {
      as: as.user(seed.owner.token),
    })
    const more = (name: string, count: number): void =>
      assert.deepEqual(
        body.devices[name],
        exactly(before.body.devices[name].value + count),
        `${name}: ${JSON.stringify(body.devices)}`,
      )
    more('total', 5)
    more('active', 3)
    more('suspended', 2)
    more('registered', 0)
    more('awaiting_approval', 1)
    more('claimed', 1)
    more('connected', 0)
    assert.deepEqual(body.open_jobs, exactly(0))
  })

  test('keys are counted for those who may read them', async (t) => {
    const app = await tenant(t)
    const { call, seed } = app
    const viewer = await seedUser(app.app, { [seed.uuid]: 'viewer' })
    const read = (token: string) =>
      call('GET', `/workspaces/${seed.id}/overview`, { as: as.user(token) })
    const { body: whole } = await read(seed.owner.token)
    assert.equal(typeof whole.provision_keys.value, 'number')
    const { status, body } = await read(viewer.token)
    assert.deepEqual([status, body.provision_keys], [200, null])
  })

  test('refusals of the last hour are counted by their reason', async (t) => {
    const [app, other] = [await tenant(t), await tenant(t)]
    const { pool } = app.app.database
    const read = async ({ call, seed }: typeof app) => {
      const path = `/workspaces/${seed.id}/overview`
      const { body } = await call('GET', path, { as: as.user(seed.owner.token) })
      return body.refusals
    }
    const refuse = (uuid: string, reason: string | null, attempts: number, minutes: number) =>
      pool.query(
        `INSERT INTO connection_attempts (workspace_id, device_id, id, refusal, attempts, client_id,
           address, protocol_version, at, last_at)
         SELECT workspace_id, id, gen_random_uuid(), $2, $3, 'c', '127.0.0.1', 4,
                now() - interval '3 hours', now() - make_interval(mins => $4)
         FROM devices WHERE id = $1`,
        [uuid, reason, attempts, minutes],
      )
    assert.deepEqual(await read(app), [])
    const { uuids } = await seedFleet(app, 2)
    const [first = '', second = ''] = uuids
    await refuse(first, 'wrong_password', 3, 10)
    await refuse(first, 'wrong_password', 1, 5)
    await refuse(second, 'suspended', 2, 59)
    await refuse(second, 'suspended', 9, 61)
    await refuse(second, null, 1, 1)
    const named = { name: 'backend' }
    const path = `/workspaces/${app.seed.id}/mqtt/principals`
    const login = await app.call('POST', path, { as: as.user(app.seed.owner.token), body: named })
    assert.equal(login.status, 201, login.text)
    await pool.query(
      `INSERT INTO mqtt_principal_attempts (workspace_id, principal_id, id, refusal, attempts,
         client_id, address, protocol_version, at, last_at)
       SELECT workspace_id, id, gen_random_uuid(), 'suspended', 5, 'c', '127.0.0.1', 4, now(), now()
       FROM mqtt_principals WHERE workspace_id = $1`,
      [app.seed.uuid],
    )
    assert.deepEqual(await read(app), [
      { reason: 'suspended', devices: 1, logins: 1, attempts: 7 },
      { reason: 'wrong_password', devices: 1, logins: 0, attempts: 4 },
    ])
    assert.deepEqual(await read(other), [])
  })

  test('a count stops at 10,000 and says so', async (t) => {
    const app = await tenant(t)
    const { call, seed } = app
    // In parts, because statements of the service have a time limit.
    for (let from = 0; from < 12_000; from += 2_000) {
      await app.app.database.pool.query(
        `INSERT INTO devices (workspace_id, id, device_key, name, status)
         SELECT $1, gen_random_uuid(), 'many-' || n, 'Many', 'active'
         FROM generate_series($2::int + 1, $2::int + 2000) AS n`,
        [seed.uuid, from],
      )
    }
    const { body } = await call('GET', `/workspaces/${seed.id}/overview`, {
      as: as.user(seed.owner.token),
    })
    assert.deepEqual(body.devices.active, { value: 10_000, is_lower_bound: true })
  })

  test('the devices of another workspace are not counted', async (t) => {
    const [app, other] = [await tenant(t), await tenant(t)]
    await seedFleet(other, 4)
    const { body } = await app.call('GET', `/workspaces/${app.seed.id}/overview`, {
      as: as.user(app.seed.owner.token),
    })
    const others = await other.call('GET', `/workspaces/${other.seed.id}/overview`, {
      as: as.user(other.seed.owner.token),
    })
    assert.equal(others.body.devices.total.value, body.devices.total.value + 4)
  })
})
