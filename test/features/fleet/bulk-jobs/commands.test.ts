/** Jobs that issue commands: the results of those, of all together and of each device. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { seedDevice, type SeededDevice } from '../../../support/credentials.ts'
import { itemsOf, north, readJob, runJob, seedFleet } from '../../../support/fleet.ts'
import { useTenants } from '../../../support/suite-app.ts'

interface Issued {
  id: string
  job_id: string | null
  rotation_campaign_id: string | null
  cancelled_by: string | null
  cancel_reason: string | null
}

const pathOf = ({ seed }: TestApp, { id }: SeededDevice): string =>
  `/workspaces/${seed.id}/devices/${id}/commands`

const newest = async (app: TestApp, device: SeededDevice): Promise<Issued> => {
  const owner = { as: as.user(app.seed.owner.token) }
  return (await app.call('GET', pathOf(app, device), owner)).body.items[0]
}

/** The device fetches its commands and answers all of them. */
async function answer(app: TestApp, { token }: SeededDevice, ok: boolean): Promise<void> {
  const { body } = await app.call('GET', '/devices/auth/commands', { as: as.device(token) })
  for (const { id } of body.items) {
    const path = `/devices/auth/commands/${id}/ack`
    const { status, text } = await app.call('POST', path, { as: as.device(token), body: { ok } })
    assert.equal(status, 200, text)
  }
}

const devicesOf = async (app: TestApp, count: number): Promise<SeededDevice[]> => {
  const devices = []
  for (let n = 0; n < count; n += 1) devices.push(await seedDevice(app, app.seed, 'active'))
  return devices
}

const none = { pending: 0, sent: 0, acknowledged: 0, failed: 0, timed_out: 0, cancelled: 0 }

suite('the commands of a job', () => {
  const tenant = useTenants()

  test('are counted by their status, and returned with each device', async (t) => {
    const app = await tenant(t)
    const devices = await devicesOf(app, 6)
    const [done, failed, late, stopped, fetched] = devices as [
      SeededDevice,
      SeededDevice,
      SeededDevice,
      SeededDevice,
      SeededDevice,
    ]
    const job = await runJob(app, {
      action: 'command',
      parameters: { name: 'blink' },
      device_ids: devices.map(({ id }) => id),
    })
    assert.equal(job.counts.succeeded, 6)
    assert.deepEqual(job.commands, { ...none, pending: 6, is_lower_bound: false })
    await answer(app, done, true)
    await answer(app, failed, false)
    const lost = await newest(app, late)
    await app.app.database.pool.query(
      'UPDATE device_commands SET expires_at = now() WHERE workspace_id = $1 AND id = $2',
      [app.seed.uuid, parseId('cmd', lost.id)],
    )
    const owner = { as: as.user(app.seed.owner.token) }
    const cancelled = await newest(app, stopped)
    await app.call('DELETE', `${pathOf(app, stopped)}/${cancelled.id}`, owner)
    await app.call('GET', '/devices/auth/commands', { as: as.device(fetched.token) })
    assert.deepEqual((await readJob(app, job.id)).commands, {
      pending: 1,
      sent: 1,
      acknowledged: 1,
      failed: 1,
      timed_out: 1,
      cancelled: 1,
      is_lower_bound: false,
    })
    const items = await itemsOf(app, job.id)
    assert.deepEqual(
      devices.map(({ id }) => items.find(({ device_id }) => device_id === id)?.command?.status),
      ['acknowledged', 'failed', 'timed_out', 'cancelled', 'sent', 'pending'],
    )
    assert.equal(items.find(({ device_id }) => device_id === late.id)?.command?.id, lost.id)
    assert.deepEqual([lost.job_id, lost.rotation_campaign_id], [job.id, null])
  })

  test('are none of a job that changes the devices itself', async (t) => {
    const app = await tenant(t)
    const { ids } = await seedFleet(app, 1)
    const { id, commands } = await runJob(app, { ...north, device_ids: ids })
    assert.equal(commands, null)
    assert.equal((await itemsOf(app, id))[0]?.command, null)
  })

  test('are not reported as zero once they are no longer kept', async (t) => {
    const app = await tenant(t)
    const [device] = (await devicesOf(app, 1)) as [SeededDevice]
    const job = await runJob(app, { action: 'rotate', device_ids: [device.id] })
    await app.database.pool.query('DELETE FROM device_commands WHERE workspace_id = $1', [
      app.seed.uuid,
    ])
    const { counts, commands } = await readJob(app, job.id)
    assert.equal(counts.succeeded, 1)
    assert.equal(commands, null)
  })

  test('have the user who cancelled them, and the reason', async (t) => {
    const app = await tenant(t)
    const [one, other] = (await devicesOf(app, 2)) as [SeededDevice, SeededDevice]
    const job = await runJob(app, { action: 'rotate', device_ids: [one.id, other.id] })
    const owner = { as: as.user(app.seed.owner.token) }
    const asked = await newest(app, one)
    assert.deepEqual([asked.cancelled_by, asked.cancel_reason], [null, null])
    await app.call('DELETE', `${pathOf(app, one)}/${asked.id}`, owner)
    const reset = `/workspaces/${app.seed.id}/devices/${other.id}/credentials/reset`
    assert.equal((await app.call('POST', reset, owner)).status, 200)
    const person = app.seed.owner.id
    const [first, second] = [await newest(app, one), await newest(app, other)]
    assert.deepEqual([first.cancelled_by, first.cancel_reason], [person, 'request'])
    assert.deepEqual([second.cancelled_by, second.cancel_reason], [person, 'credentials_reset'])
    assert.equal((await readJob(app, job.id)).commands.cancelled, 2)
  })
})
