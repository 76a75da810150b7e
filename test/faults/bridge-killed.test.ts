/**
 * kill -9 of the service between a message that an external broker has delivered to it and the
 * commit of what the message says: the broker still has it, and the next process gets it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import mqtt from 'mqtt'
import pg from 'pg'
import { bridgedBroker, plainBrokers } from '../features/mqtt/bridges/plain-brokers.ts'
import { as } from '../support/app.ts'
import { defer } from '../support/cleanup.ts'
import {
  ownDatabase,
  printedOwner,
  type Service,
  signIn,
  startService,
} from '../support/service.ts'
import { until } from '../support/until.ts'

const [aedes] = plainBrokers

/** A device, and its path in the API. */
async function registered({ call }: Service, headers: Record<string, string>) {
  const { body: workspaces } = await call('GET', '/workspaces', { headers })
  const path = `/workspaces/${workspaces.items[0].id}`
  const make = async (what: string, body: object) =>
    (await call('POST', `${path}/${what}`, { headers, body })).body
  const template = { model_key: 'sensor', name: 'Sensor', serial_format: 'S-%#f' }
  const { id } = await make('device-templates', template)
  const { key } = await make('api-keys', { key_kind: 'provision' })
  const made = await call('POST', '/provision/device', {
    headers: as.factory(key),
    body: { template_id: id },
  })
  assert.equal(made.status, 201, made.text)
  const { device_id, device_key, workspace_slug } = made.body
  return { path: `${path}/devices/${device_id}`, topic: `${workspace_slug}/${device_key}` }
}

test('a state that a broker acknowledged is there, though the service is killed before it commits', {
  timeout: 120_000,
}, async (t) => {
  const port = (await aedes?.start(t)) ?? 0
  const { file, url } = bridgedBroker('external', port)
  const { MOORING_DATA_DIR: dataDir, DATABASE_URL } = await ownDatabase(t)
  const environment = { DATABASE_URL, MOORING_BROKERS_FILE: file }
  const first = await startService(t, dataDir, { environment })
  const headers = await signIn(first, printedOwner(first))
  const { path, topic } = await registered(first, headers)
  const client = await mqtt.connectAsync(url, { clientId: 'a device' })
  defer(t, () => client.end(true))
  /** Resolves when the broker has acknowledged it. */
  const say = (number: number) =>
    client.publishAsync(`${topic}/state`, JSON.stringify({ number }), { qos: 1 })
  const holds = async ({ call }: Service, number: number) =>
    (await call('GET', `${path}/state`, { headers })).body?.state?.number === number
  await until('the bridge works', async () => {
    await say(1)
    return holds(first, 1)
  })

  const database = new pg.Client({ connectionString: DATABASE_URL })
  database.on('error', () => {})
  await database.connect()
  defer(t, () => database.end())
  await database.query('BEGIN; LOCK TABLE device_states IN SHARE MODE')
  await say(2)
  const held = `SELECT pid FROM pg_locks WHERE relation = 'device_states'::regclass AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  const pid = await until('the state waits to be written', async () => {
    const { rows } = await database.query<{ pid: number }>(held)
    return rows[0]?.pid
  })
  await first.stop('SIGKILL')
  // Else Postgres would still write it: it does not notice that its client is gone.
  await database.query('SELECT pg_terminate_backend($1)', [pid])
  await until('nothing writes it', async () => (await database.query(held)).rowCount === 0)
  await database.query('ROLLBACK')
  const { rows } = await database.query("SELECT state->>'number' AS number FROM device_states")
  assert.deepEqual(rows, [{ number: '1' }])
  const second = await startService(t, dataDir, { environment })
  await until('the state is there', () => holds(second, 2))
})
