/** Whatever happens to a device at once, the outcome is one that could have happened in turn. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import {
  newDevice,
  newDevices,
  newPhone,
  openClaim,
  orphanBindings,
} from '../../../support/phones-and-devices.ts'

test('binding, releasing, resetting and deleting a device at once leave no orphan', async (t) => {
  const app = await startApp(t)
  const [one, two] = await Promise.all([newPhone(app), newPhone(app)])
  const remove = (uuid: string) =>
    app.database.pool.query('DELETE FROM devices WHERE id = $1', [uuid])
  for (let round = 0; round < 60; round += 1) {
    const device = await newDevice(app)
    const [first, second] = await Promise.all([openClaim(app, one), openClaim(app, two)])
    if (round % 2 === 0) assert.equal((await device.bind(first.code)).status, 200)
    const acts: (() => Promise<unknown>)[] = [
      () => device.bind(first.code),
      () => device.bind(second.code),
      () => one.call('DELETE', `/moid/devices/${device.id}`),
      () => two.call('DELETE', `/moid/devices/${device.id}`),
      () => device.call('DELETE', '/devices/auth/claim'),
      () => device.call('POST', '/devices/auth/claim-codes', {}),
      () => one.call('DELETE', `/moid/claims/${first.id}`),
      () => one.call('PATCH', `/moid/devices/${device.id}`, { name: 'x' }),
      ...(round % 3 === 0 ? [() => remove(device.uuid)] : []),
    ]
    acts.sort(() => Math.random() - 0.5)
    const responses = await Promise.all(acts.map((act) => act()))
    for (const response of responses as { status?: number; text?: string }[]) {
      assert.ok((response.status ?? 200) < 500, response.text)
    }
    assert.equal(await orphanBindings(app), 0, `round ${round}`)
    await Promise.all([
      one.call('DELETE', `/moid/claims/${first.id}`),
      two.call('DELETE', `/moid/claims/${second.id}`),
    ])
  }
})

test('one of a hundred releases at once is recorded, and the device can be bound again', async (t) => {
  const app = await startApp(t)
  const phone = await newPhone(app)
  const device = await newDevice(app)
  await device.bind((await openClaim(app, phone)).code)
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, at) =>
      at % 2
        ? phone.call('DELETE', `/moid/devices/${device.id}`)
        : device.call('DELETE', '/devices/auth/claim'),
    ),
  )
  assert.ok(responses.every(({ status }) => status === 204 || status === 404))
  const released = await app.database.pool.query(
    `SELECT 1 FROM events WHERE type = 'device.released'`,
  )
  assert.equal(released.rows.length, 1)
  assert.equal(await orphanBindings(app), 0)
  assert.equal((await device.bind((await openClaim(app, phone)).code)).status, 200)
})

test('the database refuses a second binding and a code of both sides', async (t) => {
  const app = await startApp(t)
  const phone = await newPhone(app)
  const [device] = await newDevices(app, 1)
  assert.ok(device)
  await device.bind((await openClaim(app, phone)).code)
  const open = await openClaim(app, phone)
  const { pool } = app.database
  await assert.rejects(
    pool.query(
      `UPDATE claims SET status = 'bound', device_id = $2, bound_at = now() WHERE id = $1`,
      [open.uuid, device.uuid],
    ),
    /claims_bound_device/,
  )
  await assert.rejects(
    pool.query(`UPDATE claims SET status = 'bound', bound_at = now() WHERE id = $1`, [open.uuid]),
    /check/,
  )
  const foreign = app.seed.other.uuid
  await assert.rejects(
    pool.query(`UPDATE claims SET workspace_id = $2, device_id = $3 WHERE id = $1`, [
      open.uuid,
      foreign,
      device.uuid,
    ]),
    /foreign key/,
  )
})
