/**
 * States through RabbitMQ: `npm run bench -- rabbitmq-states`. Devices publish more of them with
 * QoS 1 than the service can take; RabbitMQ keeps the others. The service acknowledges each after
 * its commit. The time ends when a state that was published after all others is in the database.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import mqtt from 'mqtt'
import { Client } from 'pg'
import { freePorts } from '../test/adapters/broker/free-ports.ts'
import { startRabbitmq, type StartedRabbitmq } from '../test/adapters/broker/start-rabbitmq.ts'
import type { AcknowledgementProgram } from './programs/acknowledgement-load.ts'
import { topicsOf } from './states.ts'
import type { Fixture, SeededDatabase } from './support/environment.ts'
import { grouped, plainTable } from './support/plain-table.ts'
import { treeSeconds } from './support/processes.ts'
import type { SeededDevice } from './support/seed.ts'

const DEVICES = 200
const PER_SECOND = 4_000
const SECONDS = 5
const WAIT_MS = 100_000
/** Processor time for each state. */
const COSTS = ['cost in the service', 'in Postgres', 'in RabbitMQ', 'in the load']
/** As docs/brokers/rabbitmq.md recommends. */
const SETTINGS = ['mqtt.prefetch = 100']

interface Place {
  broker: StartedRabbitmq
  environment: Record<string, string>
}

async function startBroker(folder: string): Promise<Place> {
  const [operator = 0] = await freePorts(1)
  const secret = randomBytes(24).toString('base64url')
  const at = `http://any:${secret}@127.0.0.1:${operator}/hooks/bench/rabbitmq`
  const [user, vhost, resource, topic] = ['user', 'vhost', 'resource', 'topic'].map(
    (each) => `${at}/${each}`,
  ) as [string, string, string, string]
  const broker = await startRabbitmq({ user, vhost, resource, topic }, undefined, SETTINGS)
  const { url, port, username, password } = broker
  const entry = {
    name: 'bench',
    kind: 'rabbitmq',
    hook_secrets: [secret],
    admin: { url: url.replace(/\/api$/, ''), username, password },
    mqtt: { url: `mqtt://127.0.0.1:${port}`, username: 'bridge', password: `bridge ${secret}` },
  }
  const file = join(folder, 'brokers.json')
  await writeFile(file, JSON.stringify({ brokers: [entry] }), { mode: 0o600 })
  const environment = { MOORING_BROKERS_FILE: file, MOORING_OPERATOR_PORT: String(operator) }
  return { broker, environment }
}

/** Says a state again and again until it is in the database; then once more, at the end. */
async function markerOf(client: Client, port: number, device: SeededDevice, topic: string) {
  const { id: username, mqttPassword: password } = device
  const url = `mqtt://127.0.0.1:${port}`
  const marker = await mqtt.connectAsync(url, { clientId: username, username, password })
  const text = 'SELECT state FROM device_states WHERE device_id = $1'
  const holds = async (value: number): Promise<boolean> =>
    (await client.query<{ state: number }>(text, [device.uuid])).rows[0]?.state === value
  const stored = async (value: number): Promise<void> => {
    const deadline = performance.now() + WAIT_MS
    await marker.publishAsync(topic, String(value), { qos: 1 })
    while (!(await holds(value))) {
      if (performance.now() > deadline) throw new Error('the states were not stored in time')
      if (value === 0) await marker.publishAsync(topic, '0', { qos: 1 })
      await sleep(20)
    }
  }
  return { stored, end: () => marker.endAsync(true) }
}

async function measured(
  fixture: Fixture,
  database: SeededDatabase,
  { broker, environment }: Place,
) {
  const { port, pid } = broker
  await fixture.startService(database, { ...environment, MOORING_EMBEDDED_BROKER: 'off' })
  const client = new Client(database.connection)
  await client.connect()
  const [device, ...devices] = database.devices as [SeededDevice, ...SeededDevice[]]
  const [topic = '', ...topics] = await topicsOf(client, database, 'state')
  const load = fixture.start<AcknowledgementProgram>('bench/programs/acknowledgement-load.ts')
  const marker = await markerOf(client, port, device, topic)
  try {
    await marker.stored(0)
    await load.call('open', { port, devices, topics })
    const [finish, before] = [await fixture.meter.begin(), treeSeconds(pid)]
    const began = performance.now()
    const { published } = await load.call('run', { perSecond: PER_SECOND, seconds: SECONDS })
    if (published < PER_SECOND * SECONDS) throw new Error('RabbitMQ acknowledged only a part')
    await marker.stored(1)
    const seconds = (performance.now() - began) / 1_000
    return { published, seconds, broker: treeSeconds(pid) - before, ...(await finish()) }
  } finally {
    await marker.end()
    await client.end()
  }
}

export async function rabbitmqStates(fixture: Fixture): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-bench-states-'))
  const place = await startBroker(folder)
  try {
    const database = await fixture.newDatabase(DEVICES)
    const result = await measured(fixture, database, place)
    const { published, seconds, service, postgres, broker, generator } = result
    const each = (spent: number): string => `${((spent / published) * 1e6).toFixed(0)} µs`
    return plainTable([
      ['states with QoS 1', 'stored a second', ...COSTS],
      [
        grouped(published),
        grouped(published / seconds),
        ...[service, postgres, broker, generator].map(each),
      ],
    ])
  } finally {
    await place.broker.stop()
    await rm(folder, { recursive: true })
  }
}
