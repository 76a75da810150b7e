/** How many devices were connected, by the hour and every five minutes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeSamples } from '../../../../src/features/metering/usage/connection-series-store.ts'
import { HOUR_MS } from '../../../../src/platform/lib/time.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const WHOLE = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** A peak of the workspace, so many hours before the present one; and more of one template. */
async function write({ database, seed }: TestApp, ago: number, peak: number): Promise<void> {
  for (const [place, count] of [
    [WHOLE, peak],
    [seed.template.uuid, peak + 1],
  ]) {
    await database.pool.query(
      `INSERT INTO usage_hours
       VALUES ($1, date_trunc('hour', now(), 'UTC') - make_interval(hours => $2), $3, 0, 0, 0, $4)`,
      [seed.uuid, ago, place, count],
    )
  }
}

interface Series {
  items: { starts_at: string; connected_devices: number }[]
}

const read = async ({ call, seed }: TestApp, query = '', token = seed.owner.token) => {
  const path = `/workspaces/${seed.id}/mqtt/connections/series${query}`
  const { status, body, text } = await call('GET', path, { as: as.user(token) })
  assert.equal(status, 200, text)
  return (body as Series).items
}

test('each of the last hours has its peak, also one in which nobody was connected', async (t) => {
  const [app, other] = [await freshTenants(t), await freshTenants(t)]
  await write(app, 2, 7)
  await write(app, 1, 9)
  await write(app, 24, 100)
  const items = await read(app)
  assert.equal(items.length, 24)
  const counts = items.map((each) => each.connected_devices)
  assert.deepEqual(counts, [...Array<number>(21).fill(0), 7, 9, 0])
  const starts = items.map(({ starts_at }) => Date.parse(starts_at))
  for (const [at, start] of starts.entries()) {
    assert.equal(start, (starts[0] as number) + at * HOUR_MS)
    assert.equal(start % HOUR_MS, 0)
  }
  const longer = await read(app, '?hours=25')
  assert.equal(longer[0]?.connected_devices, 100)
  assert.ok((await read(other)).every((each) => each.connected_devices === 0))
})

test('a viewer may read it, since a viewer sees who is connected', async (t) => {
  const app = await freshTenants(t)
  const viewer = await seedUser(app, { [app.seed.uuid]: 'viewer' })
  assert.equal((await read(app, '?hours=3', viewer.token)).length, 3)
})

test('every five minutes of the last hours have the highest count, for a day', async (t) => {
  const [app, other] = [await freshTenants(t), await freshTenants(t)]
  const { database, seed, call } = app
  await database.pool.query(
    `INSERT INTO connected_samples
     VALUES ($1, date_bin('5 minutes', now(), '2000-01-01Z') - interval '10 minutes', 4)`,
    [seed.uuid],
  )
  const sample = (devices: number) =>
    writeSamples(database, [
      { workspace_id: seed.uuid, template_id: WHOLE, devices },
      { workspace_id: seed.uuid, template_id: seed.template.uuid, devices: devices + 1 },
    ])
  for (const devices of [2, 7, 3]) await sample(devices)
  const items = await read(app, '?hours=1&step=five_minutes')
  assert.equal(items.length, 12)
  const counts = items.map((each) => each.connected_devices)
  assert.equal(Math.max(...counts.slice(-2)), 7)
  assert.ok(counts.slice(-5).includes(4))
  const [first, second] = items.map(({ starts_at }) => Date.parse(starts_at))
  assert.equal((second as number) - (first as number), 300_000)
  assert.ok((await read(other, '?step=five_minutes')).every((each) => each.connected_devices === 0))
  const path = `/workspaces/${seed.id}/mqtt/connections/series?hours=25&step=five_minutes`
  const refused = await call('GET', path, { as: as.user(seed.owner.token) })
  assert.equal(refused.status, 400, refused.text)
  assert.equal(refused.body.errors[0].pointer, '/query/hours')
})
