/**
 * The rows that a deleted device leaves behind: no reference of its secrets and first response is
 * among them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { sqlStatements } from '../../../../src/platform/database/sql.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import { until } from '../../../support/until.ts'

const waiting = unnamed(
  `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
)
const left = unnamed(
  `SELECT (SELECT count(*) FROM device_secrets) + (SELECT count(*) FROM registration_answers)
     AS rows`,
)

async function register({ call, seed }: TestApp, hardware_id: string): Promise<string> {
  const { status, body } = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { template_id: seed.template.id, hardware_id },
  })
  assert.equal(status, 201)
  return body.device_id as string
}

const rotate = ({ call, seed }: TestApp, device_id: string) =>
  call('POST', '/provision/device', { as: as.factory(seed.provisionKey), body: { device_id } })

const remove = ({ call, seed }: TestApp, device: string) =>
  call('DELETE', `/workspaces/${seed.id}/devices/${device}`, { as: as.user(seed.owner.token) })

/** Lets both wait for the device's row, one after the other, and then run. */
async function inTurn(
  t: Parameters<typeof startApp>[0],
  app: TestApp,
  first: () => Promise<{ status: number }>,
  second: () => Promise<{ status: number }>,
): Promise<number[]> {
  const holder = await app.database.connect()
  defer(t, () => holder.end())
  await holder.query('BEGIN')
  await holder.query('SELECT FROM devices FOR UPDATE')
  const waits = async (count: number): Promise<boolean> =>
    (await app.database.query(waiting, [])).length === count
  const one = first()
  await until('the first waits', () => waits(1))
  const two = second()
  await until('the second waits', () => waits(2))
  await holder.query('COMMIT')
  return (await Promise.all([one, two])).map(({ status }) => status)
}

test('a rotation and the deletion of its device leave no secret, in either order', async (t) => {
  const app = await startApp(t)
  const early = await register(app, 'early')
  assert.deepEqual(await app.database.query(left, []), [{ rows: 3 }])
  const deletedFirst = await inTurn(
    t,
    app,
    () => remove(app, early),
    () => rotate(app, early),
  )
  assert.deepEqual(deletedFirst, [204, 404])
  assert.deepEqual(await app.database.query(left, []), [{ rows: 0 }])
  const late = await register(app, 'late')
  const rotatedFirst = await inTurn(
    t,
    app,
    () => rotate(app, late),
    () => remove(app, late),
  )
  assert.deepEqual(rotatedFirst, [200, 204])
  assert.deepEqual(await app.database.query(left, []), [{ rows: 0 }])
})

test('every statement that adds credentials inserts or updates their device', () => {
  const adding = [...sqlStatements.values()].filter(({ text }) =>
    /INSERT INTO (?:device_secrets|registration_answers)\b/.test(text),
  )
  assert.ok(adding.length >= 8)
  const loose = adding.filter(({ text }) => !/(?:INSERT INTO|UPDATE) devices\b/.test(text))
  assert.deepEqual(
    loose.map(({ name }) => name),
    [],
  )
})

test('every statement that inserts devices locks their workspace, or runs where it is', () => {
  const inserting = [...sqlStatements.values()].filter(({ text }) =>
    /INSERT INTO devices\b/.test(text),
  )
  const loose = inserting.filter(({ text }) => !/FROM workspaces\b[^)]*FOR KEY SHARE/.test(text))
  // Staff create and import devices in transactions that hold the row already.
  assert.deepEqual(
    loose.map(({ name }) => name),
    ['devices.register'],
  )
})
