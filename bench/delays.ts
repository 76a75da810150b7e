/**
 * How long other changes take to reach another process: `npm run bench -- delays`. Two processes
 * share a database. A device is connected to the second one, or a request waits there, and the
 * change is made through the first one.
 *
 * The limit is one second, as for revocations (bench/revoke.ts).
 */
import { once } from 'node:events'
import type { MqttClient } from 'mqtt'
import {
  closeOf,
  connectDevice,
  type Delays,
  delaysOf,
  deviceAt,
  expect,
  openPair,
  openStream,
  type Pair,
} from './support/delays.ts'
import type { SeededDevice } from './support/seed.ts'
import type { Fixture } from './support/environment.ts'

/** Of the first workspace of a seed. */
const SLUG = 'bench'

async function receiveMessage(pair: Pair, client: MqttClient, topic: string): Promise<number> {
  const received = new Promise<void>((resolve) => client.once('message', () => resolve()))
  const begin = performance.now()
  const message = { topic, payload: 'hello', qos: 1 }
  await expect(202, pair.one, pair.staff, 'POST', `${pair.workspace}/mqtt/publish`, message)
  await received
  return performance.now() - begin
}

/** Measures as many messages to one subscriber. */
async function receiveMessages(pair: Pair, count: number): Promise<Delays> {
  const device = deviceAt(pair, 0)
  const path = `${pair.workspace}/devices/${device.id}`
  const { device_key: key } = await expect(200, pair.one, pair.staff, 'GET', path)
  const client = await connectDevice(pair, device)
  await client.subscribeAsync(`${SLUG}/${key}/cmd/#`, { qos: 1 })
  const topic = `${SLUG}/${key}/cmd/hello`
  const what = 'a message of the API is received'
  const delays = await delaysOf(what, count, () => receiveMessage(pair, client, topic))
  await client.endAsync()
  return delays
}

async function allowPublishing(pair: Pair, device: SeededDevice): Promise<number> {
  const client = await connectDevice(pair, device)
  const topic = `${SLUG}/hall/${device.id}`
  // An MQTT 5 client receives the refusal of a publish.
  const isAllowed = (): Promise<boolean> =>
    client.publishAsync(topic, 'on', { qos: 1 }).then(
      () => true,
      () => false,
    )
  if (await isAllowed()) throw new Error('the topic is allowed before the rule is there')
  const rules = `${pair.workspace}/devices/${device.id}/acls`
  const rule = { permission: 'allow', action: 'publish', topic: topic.replace(SLUG, '{slug}') }
  const begin = performance.now()
  await expect(201, pair.one, pair.staff, 'POST', rules, rule)
  while (!(await isAllowed()));
  const ms = performance.now() - begin
  await client.endAsync()
  return ms
}

type Sessions = { items: { id: string }[] }

const listSessions = (pair: Pair, device: SeededDevice): Promise<Sessions> =>
  expect(
    200,
    pair.one,
    pair.staff,
    'GET',
    `${pair.workspace}/mqtt/connections?filter=principal_id=${device.id}`,
  )

async function listSession(pair: Pair, device: SeededDevice): Promise<number> {
  const begin = performance.now()
  const client = await connectDevice(pair, device)
  while ((await listSessions(pair, device)).items.length === 0);
  const ms = performance.now() - begin
  await client.endAsync()
  return ms
}

async function dropSession(pair: Pair, device: SeededDevice): Promise<number> {
  const client = await connectDevice(pair, device)
  while ((await listSessions(pair, device)).items.length === 0);
  const begin = performance.now()
  await client.endAsync()
  while ((await listSessions(pair, device)).items.length > 0);
  return performance.now() - begin
}

async function endSession(pair: Pair, device: SeededDevice): Promise<number> {
  const closed = closeOf(await connectDevice(pair, device))
  let sessions = await listSessions(pair, device)
  while (sessions.items.length === 0) sessions = await listSessions(pair, device)
  const path = `${pair.workspace}/mqtt/connections/${sessions.items[0]?.id}`
  const begin = performance.now()
  await expect(204, pair.one, pair.staff, 'DELETE', path)
  await closed
  return performance.now() - begin
}

async function endStream({ one, other, staff, workspace }: Pair): Promise<number> {
  const keys = `${workspace}/api-keys`
  const made = await expect(201, one, staff, 'POST', keys, { key_kind: 'platform' })
  const reader = { 'x-api-key': made.key }
  const stream = await openStream(other, reader, `${workspace}/events?after=latest`)
  const ended = once(stream, 'close')
  const begin = performance.now()
  await expect(204, one, staff, 'DELETE', `${keys}/${made.id}`)
  await ended
  return performance.now() - begin
}

const COUNT = 100

export async function delays(fixture: Fixture): Promise<Delays[]> {
  const pair = await openPair(fixture)
  let used = 0
  const ofDevices = (what: string, work: (pair: Pair, device: SeededDevice) => Promise<number>) =>
    delaysOf(what, COUNT, () => work(pair, deviceAt(pair, (used += 1))))
  return [
    await receiveMessages(pair, COUNT),
    await ofDevices('a rule that is added applies to a session', allowPublishing),
    await ofDevices('a session that begins is listed', listSession),
    await ofDevices('a session that ends is listed no more', dropSession),
    await ofDevices('a session is disconnected', endSession),
    await delaysOf('an event stream ends with its key', COUNT, () => endStream(pair)),
  ]
}
