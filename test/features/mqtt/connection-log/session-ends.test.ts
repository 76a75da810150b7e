/** The connection log about a session whose process was killed, and about external brokers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { connectDevice } from '../../../support/mqtt.ts'
import { until } from '../../../support/until.ts'
import { provision, type Registered, startMqttService } from '../sessions/second-mqtt-service.ts'

interface Attempt {
  accepted: boolean
  session: string | null
  ended_at: string | null
  end_reason: string | null
  duration_s: number | null
}

async function read(app: TestApp, path: string) {
  const answer = await app.call('GET', `/workspaces/${app.seed.id}${path}`, {
    as: as.platformKey(app.seed.platformKey),
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const attemptsOf = async (app: TestApp, { device_id }: Registered): Promise<Attempt[]> =>
  (await read(app, `/devices/${device_id}/connection-log`)).items

async function attemptsInTimeline(app: TestApp, { device_id }: Registered): Promise<Attempt[]> {
  const { items } = await read(app, `/devices/${device_id}/timeline?kinds=connection`)
  return items.map(({ connection }: { connection: Attempt }) => connection)
}

const sessionsOf = async (app: TestApp, device: Registered): Promise<unknown[]> =>
  (await attemptsOf(app, device)).map(({ session }) => session)

/** Writes what waits, as the process does every second. */
async function write({ recorder, attempts }: Awaited<ReturnType<typeof startMqttService>>) {
  recorder.deliver()
  await attempts.flush()
}

/** As a killed process looks to the others: it writes nothing more, and no heartbeat. */
const kill = (app: TestApp, nodeId: string) =>
  app.database.pool.query(`UPDATE nodes SET beat_at = now() - interval '1 minute' WHERE id = $1`, [
    nodeId,
  ])

test('a session of a killed process has ended, and it is not known when; others continue', async (t) => {
  const app = await startApp(t)
  const side = await startMqttService(t, app)
  const device = await provision(app, side.broker.port)
  const other = await provision(app, app.app.ports.mqtt)
  await connectDevice(t, device)
  await connectDevice(t, other)
  await write(side)
  const isLogged = async () => (await sessionsOf(app, other)).length > 0
  await until('the session of the other', isLogged)
  assert.deepEqual(await sessionsOf(app, device), ['open'])
  await kill(app, side.nodeId)
  assert.deepEqual(await sessionsOf(app, other), ['open'])
  const [attempt, ...more] = await attemptsOf(app, device)
  assert.deepEqual(more, [])
  const { session, ended_at, end_reason, duration_s } = attempt ?? {}
  assert.deepEqual([session, ended_at, end_reason, duration_s], ['ended', null, null, null])
  await app.database.pool.query('DELETE FROM nodes WHERE id = $1', [side.nodeId])
  await connectDevice(t, { ...device, mqtt_port: app.app.ports.mqtt })
  await until('the next session', async () => (await sessionsOf(app, device)).length === 2)
  assert.deepEqual(await sessionsOf(app, device), ['open', 'ended'])
  assert.deepEqual(await attemptsInTimeline(app, device), await attemptsOf(app, device))
})

test('the log of a login says the same, and has the time of an orderly end', async (t) => {
  const app = await startApp(t)
  const side = await startMqttService(t, app)
  const path = '/mqtt/principals'
  const created = await app.call('POST', `/workspaces/${app.seed.id}${path}`, {
    as: as.platformKey(app.seed.platformKey),
    body: { name: 'dashboard' },
  })
  const { mqtt_username: id, mqtt_password } = created.body.mqtt_credentials
  const logOf = async (): Promise<Attempt[]> =>
    (await read(app, `${path}/${id}/connection-log`)).items
  const login = { device_id: id, mqtt_password, mqtt_port: side.broker.port }
  const client = await connectDevice(t, login)
  await client.endAsync()
  const hasEnded = async () => {
    await write(side)
    return (await logOf())[0]?.ended_at != null
  }
  await until('its end', hasEnded)
  await connectDevice(t, login)
  await write(side)
  const sessions = async () => (await logOf()).map((each) => [each.session, each.end_reason])
  assert.deepEqual(await sessions(), [
    ['open', null],
    ['ended', 'client'],
  ])
  await kill(app, side.nodeId)
  assert.deepEqual(await sessions(), [
    ['ended', null],
    ['ended', 'client'],
  ])
})

test('a session of an external broker is neither open nor ended', async (t) => {
  const app = await startApp(t)
  const side = await startMqttService(t, app)
  const device = await provision(app, side.broker.port)
  const request = {
    clientId: device.device_id,
    username: device.device_id,
    password: Buffer.from(device.mqtt_password),
    address: '192.0.2.1',
    protocolVersion: 4,
    transport: 'tcp' as const,
  }
  const decision = await side.authorizer.connect(request)
  assert.ok(decision.accepted)
  side.authorizer.admitted(request, decision.grant, 'external')
  await write(side)
  assert.deepEqual(await sessionsOf(app, device), ['unknown'])
  await kill(app, side.nodeId)
  assert.deepEqual(await sessionsOf(app, device), ['unknown'])
})
