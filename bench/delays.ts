/**
 * How long other changes take to reach another process: `npm run bench -- delays`. Two processes
 * share a database. A device is connected to the second one, or a request waits there, and the
 * change is made through the first one.
 *
 * The limit is one second, as for revocations (bench/revoke.ts).
 */
import type { MqttClient } from 'mqtt'
import {
  closeOf,
  connectDevice,
  COUNT,
  type Delays,
  delaysOf,
  deviceAt,
  expect,
  openPair,
  type Pair,
  pollUntil,
} from './support/delays.ts'
import { delaysOfRights } from './support/delays-of-rights.ts'
import { delaysOfRules, SLUG } from './support/delays-of-rules.ts'
import type { SeededDevice } from './support/seed.ts'
import type { Fixture } from './support/environment.ts'

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
  const delays = await delaysOf(pair, what, count, () => receiveMessage(pair, client, topic))
  await client.endAsync()
  return delays
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

/** Until the device has a session in the list, or has none. */
const pollSessions = (pair: Pair, device: SeededDevice, isListed: boolean): Promise<void> =>
  pollUntil(isListed ? 'a session is listed' : 'no session is listed', async () => {
    const { items } = await listSessions(pair, device)
    return items.length > 0 === isListed
  })

async function listSession(pair: Pair, device: SeededDevice): Promise<number> {
  const begin = performance.now()
  const client = await connectDevice(pair, device)
  await pollSessions(pair, device, true)
  const ms = performance.now() - begin
  await client.endAsync()
  return ms
}

async function dropSession(pair: Pair, device: SeededDevice): Promise<number> {
  const client = await connectDevice(pair, device)
  await pollSessions(pair, device, true)
  const begin = performance.now()
  await client.endAsync()
  await pollSessions(pair, device, false)
  return performance.now() - begin
}

async function endSession(pair: Pair, device: SeededDevice): Promise<number> {
  const closed = closeOf(await connectDevice(pair, device))
  await pollSessions(pair, device, true)
  const sessions = await listSessions(pair, device)
  const path = `${pair.workspace}/mqtt/connections/${sessions.items[0]?.id}`
  const begin = performance.now()
  await expect(204, pair.one, pair.staff, 'DELETE', path)
  await closed
  return performance.now() - begin
}

/** Ends the session of a device by a request. */
async function endBy(
  pair: Pair,
  device: SeededDevice,
  status: number,
  action: string,
): Promise<number> {
  const { one, staff, workspace } = pair
  const closed = closeOf(await connectDevice(pair, device))
  const begin = performance.now()
  await expect(status, one, staff, 'POST', `${workspace}/devices/${device.id}/${action}`)
  await closed
  return performance.now() - begin
}

export async function delays(fixture: Fixture, only: string): Promise<Delays[]> {
  const pair = await openPair(fixture, only)
  let used = 0
  const next = (): SeededDevice => deviceAt(pair, (used += 1))
  const ofDevices = (what: string, work: (pair: Pair, device: SeededDevice) => Promise<number>) =>
    delaysOf(pair, what, COUNT, () => work(pair, next()))
  return [
    await receiveMessages(pair, COUNT),
    ...(await delaysOfRules(pair, next)),
    await ofDevices('a session that begins is listed', listSession),
    await ofDevices('a session that ends is listed no more', dropSession),
    await ofDevices('a session is disconnected', endSession),
    await ofDevices('the sessions of a device are disconnected', (_pair, device) =>
      endBy(pair, device, 204, 'disconnect'),
    ),
    await ofDevices('the session of a decommissioned device ends', (_pair, device) =>
      endBy(pair, device, 200, 'decommission'),
    ),
    ...(await delaysOfRights(pair)),
  ]
}
