/** The connection log: the attempts to connect as a device, and the cost of a flood of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectRequest } from '../../../../src/adapters/broker/port.ts'
import { type Db, unnamed } from '../../../../src/platform/database/connect.ts'
import { ConnectionAttempts } from '../../../../src/features/mqtt/connection-log/attempts.ts'
import { formatId, newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import type { TestApp } from '../../../support/app.ts'
import { type Fleet, registerDevice, staff } from '../../../support/commands.ts'
import { closed, connectDevice, tryConnect } from '../../../support/mqtt.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

interface Entry {
  accepted: boolean
  reason: string | null
  attempts: number
  client_id: string
  end_reason: string | null
  ended_at: string | null
}

async function logOf(app: TestApp, device: Fleet): Promise<Entry[]> {
  const path = device.path.replace('commands', 'connection-log')
  const response = await app.call('GET', path, { as: staff(app) })
  assert.equal(response.status, 200, response.text)
  return response.body.items
}

const verb = (app: TestApp, device: Fleet, name: string) =>
  app.call('POST', device.path.replace('commands', name), { as: staff(app), body: {} })

test('accepted and refused attempts are shown newest first, with reason and end', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  assert.deepEqual(await logOf(app, device), [])
  const other = await registerDevice(app)
  await tryConnect(t, { ...device, mqtt_password: other.mqtt_password })
  await tryConnect(t, { ...device, mqtt_password: other.mqtt_password })
  await tryConnect(t, device, { clientId: 'stranger' })
  const first = await connectDevice(t, device)
  const second = await connectDevice(t, device)
  await closed(first)
  await verb(app, device, 'suspend')
  await closed(second)
  await tryConnect(t, device)
  const log = await until('the log', async () => {
    const items = await logOf(app, device)
    return items.length === 5 && items.every((each) => !each.accepted || each.ended_at) && items
  })
  assert.deepEqual(
    log.map((each) => [each.reason ?? each.end_reason, each.attempts, each.client_id]),
    [
      ['suspended', 1, device.device_id],
      ['administrative', 1, device.device_id],
      ['taken_over', 1, device.device_id],
      ['client_id_invalid', 1, 'stranger'],
      ['bad_credentials', 2, device.device_id],
    ],
  )
  assert.deepEqual(await logOf(app, other), [])
})

const request = (deviceId: string, address = '192.0.2.1', clientId = 'x'): ConnectRequest => ({
  clientId,
  username: formatId('dev', deviceId),
  password: undefined,
  address,
  protocolVersion: 4,
})

const countRows = async (app: TestApp, uuid: string): Promise<number> => {
  const text = 'SELECT count(*) AS n FROM connection_attempts WHERE device_id = $1'
  return (await app.database.query<{ n: number }>(unnamed(text), [uuid]))[0]?.n ?? 0
}

const attemptsFor = ({ database, services: { clock, nodeId } }: TestApp, db: Db = database) =>
  new ConnectionAttempts({ db, clock, nodeId })

test('a flood of equal refusals is one entry that counts, over several writes', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const uuid = parseId('dev', device.device_id) ?? ''
  const attempts = attemptsFor(app)
  for (let round = 0; round < 3; round += 1) {
    for (let index = 0; index < 1_000; index += 1) {
      attempts.refused(request(uuid, '192.0.2.1', `c${index}\u0000`), { reason: 'bad_credentials' })
    }
    await attempts.flush()
  }
  const [entry, ...more] = await logOf(app, device)
  assert.deepEqual(more, [])
  assert.equal(entry?.attempts, 3_000)
  assert.equal(entry.client_id, 'c999', 'the entry has the client id of the last attempt')
})

test('fifty entries are kept, whatever a flood from many addresses brings', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const uuid = parseId('dev', device.device_id) ?? ''
  const attempts = attemptsFor(app)
  for (let round = 0; round < 3; round += 1) {
    for (let index = 0; index < 200; index += 1) {
      attempts.refused(request(uuid, `198.51.100.${index}.${round}`), { reason: 'bad_credentials' })
    }
    await attempts.flush()
    assert.equal(await countRows(app, uuid), 50)
  }
  assert.equal((await logOf(app, device)).length, 50)
})

test('a log that grows by one entry at a time is shortened, if not by each of them', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const uuid = parseId('dev', device.device_id) ?? ''
  const attempts = attemptsFor(app)
  for (let index = 0; index < 260; index += 1) {
    attempts.refused(request(uuid, `198.51.100.${index}`), { reason: 'bad_credentials' })
    await attempts.flush()
  }
  // One in eight disconnects: that 160 in a row do not is as likely as a wrong guess of 30 bits.
  assert.ok((await countRows(app, uuid)) < 210)
  assert.equal((await logOf(app, device)).length, 50)
})

test('attempts without a device are not stored, and do not delay the others', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const uuid = parseId('dev', device.device_id) ?? ''
  const attempts = attemptsFor(app)
  const unknown = newUuid()
  attempts.refused({ ...request(unknown), username: undefined }, { reason: 'bad_credentials' })
  attempts.refused({ ...request(unknown), username: 'root' }, { reason: 'bad_credentials' })
  attempts.refused(request(unknown), { reason: 'bad_credentials' })
  attempts.refused(request(uuid), { reason: 'bad_credentials' })
  for (let index = 0; index < 5_000; index += 1)
    attempts.refused(request(newUuid()), { reason: 'busy' })
  await attempts.flush()
  assert.equal(await countRows(app, unknown), 0)
  assert.equal((await logOf(app, device)).length, 1)
})

test('entries that could not be written are written the next time, once', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const uuid = parseId('dev', device.device_id) ?? ''
  let isAway = true
  const db = {
    ...app.database,
    transaction: (work: Parameters<typeof app.database.transaction>[0]) =>
      isAway ? Promise.reject(new Error('away')) : app.database.transaction(work),
  } as typeof app.database
  const attempts = attemptsFor(app, db)
  attempts.refused(request(uuid), { reason: 'busy' })
  await assert.rejects(attempts.flush())
  attempts.refused(request(uuid), { reason: 'busy' })
  await assert.rejects(attempts.flush())
  isAway = false
  await attempts.flush()
  await attempts.flush()
  const log = await logOf(app, device)
  assert.deepEqual(
    log.map((each) => each.attempts),
    [2],
  )
})

test('refusals of a workspace are grouped by reason, with the clients that tried last', async (t) => {
  const app = await freshTenants(t)
  const path = `/workspaces/${app.seed.id}/mqtt`
  const refusals = async () => {
    const { body } = await app.call('GET', `${path}/refusals`, { as: staff(app) })
    return body.items as { reason: string; clients: number; attempts: number; latest: Entry[] }[]
  }
  assert.deepEqual(await refusals(), [])
  const device = await registerDevice(app)
  const other = await registerDevice(app)
  const login = await app.call('POST', `${path}/principals`, {
    as: staff(app),
    body: { name: 'dashboard' },
  })
  const { mqtt_credentials: principal } = login.body
  const wrong = { mqtt_password: other.mqtt_password }
  await tryConnect(t, { ...device, ...wrong })
  await tryConnect(t, { ...device, ...wrong })
  const asLogin = { username: principal.mqtt_username, clientId: principal.client_id }
  await tryConnect(t, { ...device, ...wrong }, asLogin)
  await tryConnect(t, other, { clientId: 'stranger' })
  const items = await until('three refused clients', async () => {
    const present = await refusals()
    return present.reduce((sum, { attempts }) => sum + attempts, 0) === 4 && present
  })
  assert.deepEqual(
    items.map(({ reason, clients, attempts }) => [reason, clients, attempts]),
    [
      ['bad_credentials', 2, 3],
      ['client_id_invalid', 1, 1],
    ],
  )
  assert.deepEqual(
    items.map(({ latest }) =>
      latest.map((each) => (each as { principal_id?: string }).principal_id),
    ),
    [[principal.mqtt_username, device.device_id], [other.device_id]],
  )
  const foreign = await app.call('GET', `${path}/refusals?hours=169`, { as: staff(app) })
  assert.equal(foreign.status, 400)
})
