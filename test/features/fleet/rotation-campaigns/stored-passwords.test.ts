/** Rotation campaigns where a broker keeps passwords: what is known of their use. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { brokersFile } from '../../../adapters/broker/hooks/ask-hooks.ts'
import type { TestApp } from '../../../support/app.ts'
import type { SeededDevice } from '../../../support/credentials.ts'
import { useTenants } from '../../../support/suite-app.ts'
import {
  advance,
  age,
  base,
  codes,
  connect,
  me,
  owner,
  rotate,
  seedDevices,
  started,
} from './campaigns.ts'

suite('where a broker keeps passwords and reports no use of them', () => {
  const login = { url: 'mqtt://127.0.0.1:1', username: 'mooring', password: 'none' }
  const file = brokersFile([{ name: 'site', kind: 'mosquitto-dynsec', admin: login }])
  const tenant = useTenants({ environment: { MOORING_BROKERS_FILE: file } })

  /** As the bridge writes what a device publishes on its topic `presence`. */
  const connectAgain = (app: TestApp, devices: readonly SeededDevice[]): Promise<unknown> =>
    app.app.database.pool.query(
      `UPDATE device_presence SET connected_at = now(), last_seen_at = now()
       WHERE workspace_id = $1 AND device_id = ANY ($2)`,
      [app.seed.uuid, devices.map(({ uuid }) => uuid)],
    )

  test('a device that has connected again with new credentials is no failure', async (t) => {
    const app = await tenant(t)
    const devices = await seedDevices(app, 4)
    const order = { filter: '', wave_size: 2, pause_s: 0, max_failure_rate: 0.4 }
    const { id } = await started(app, order)
    const asked = devices.slice(0, 2)
    await connect(app, asked)
    for (const device of asked) await rotate(app, device)
    await connectAgain(app, asked)
    assert.deepEqual((await advance(app, id)).counts.rotated, 2)
    await age(app, id)
    const next = await advance(app, id)
    assert.deepEqual([next.status, next.wave], ['running', 2])
    assert.deepEqual([next.counts.rotated, next.counts.failed], [2, 0])
    const { body } = await app.call('GET', `${base(app)}/${id}/devices?status=rotated`, owner(app))
    const ended = body.items.map((each: { code: string; ended_at: string }) => [
      each.code,
      each.ended_at !== null,
    ])
    assert.deepEqual(ended, [
      [null, true],
      [null, true],
    ])
  })

  test('one that stays away after it has fetched them is, and halts the campaign', async (t) => {
    const app = await tenant(t)
    const devices = await seedDevices(app, 3)
    const order = { filter: '', wave_size: 2, pause_s: 0, max_failure_rate: 0.4 }
    const { id } = await started(app, order)
    const [back, lost] = devices as [SeededDevice, SeededDevice]
    await connect(app, [back, lost])
    await rotate(app, back)
    await rotate(app, lost)
    await connectAgain(app, [back])
    await advance(app, id)
    await age(app, id)
    const halted = await advance(app, id)
    assert.deepEqual([halted.status, halted.wave], ['halted', 1])
    assert.deepEqual([halted.counts.rotated, halted.counts.failed], [1, 1])
    assert.deepEqual(await codes(app, id, 'failed'), [
      { device_id: lost.id, code: 'not_confirmed' },
    ])
  })

  test('the new token confirms there, too, even after the time', async (t) => {
    const app = await tenant(t)
    const [device] = (await seedDevices(app, 2)) as [SeededDevice]
    const order = { filter: '', wave_size: 1, pause_s: 3_600 }
    const { id } = await started(app, order)
    await connect(app, [device])
    const fresh = await rotate(app, device)
    await connectAgain(app, [device])
    await advance(app, id)
    await age(app, id)
    assert.equal((await advance(app, id)).counts.rotated, 1)
    assert.equal((await me(app, fresh)).status, 200)
    const { counts } = await advance(app, id)
    assert.deepEqual([counts.rotated, counts.confirmed], [0, 1])
  })
})
