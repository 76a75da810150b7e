/**
 * How long other changes take to reach another process: `npm run bench -- delays`. Two processes
 * share a database. A device is connected to the second one, or a request waits there, and the
 * change is made through the first one.
 *
 * The limit is one second, as for revocations (bench/revoke.ts).
 */
import { once } from 'node:events'
import type { MqttClient } from 'mqtt'
import { createPasswordHasher } from '../src/platform/access/passwords.ts'
import {
  call,
  closeOf,
  connectDevice,
  type Delays,
  delaysOf,
  deviceAt,
  expect,
  openPair,
  openStream,
  type Pair,
  pollStatus,
  pollUntil,
  type Reply,
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

/** Whether a device may publish to the topic: an MQTT 5 client receives the refusal. */
const mayPublish = (client: MqttClient, topic: string): Promise<boolean> =>
  client.publishAsync(topic, 'on', { qos: 1 }).then(
    () => true,
    () => false,
  )

/** Whether a session may publish to a topic, before and after a change of rules. */
async function changeRight(
  client: MqttClient,
  topic: string,
  isAllowed: boolean,
  change: () => Promise<void>,
): Promise<number> {
  if ((await mayPublish(client, topic)) === isAllowed) throw new Error(`${topic} before its change`)
  const begin = performance.now()
  await change()
  await pollUntil(`${topic} after its change`, async () => {
    return (await mayPublish(client, topic)) === isAllowed
  })
  return performance.now() - begin
}

const ruleOf = (topic: string): object => ({
  permission: 'allow',
  action: 'publish',
  topic: topic.replace(SLUG, '{slug}'),
})

/** A device gets a rule of its own and loses it again. */
async function changeRules(pair: Pair, device: SeededDevice): Promise<[number, number]> {
  const { one, staff, workspace } = pair
  const client = await connectDevice(pair, device)
  const topic = `${SLUG}/hall/${device.id}`
  const rules = `${workspace}/devices/${device.id}/acls`
  let rule = ''
  const added = await changeRight(client, topic, true, async () => {
    rule = (await expect(201, one, staff, 'POST', rules, ruleOf(topic))).id
  })
  const deleted = await changeRight(client, topic, false, async () => {
    await expect(204, one, staff, 'DELETE', `${rules}/${rule}`)
  })
  await client.endAsync()
  return [added, deleted]
}

/** The template of a device gets another rule in place of its last one. */
async function changeTemplate(pair: Pair, client: MqttClient, at: number): Promise<number> {
  const { one, staff, workspace, database } = pair
  const topic = `${SLUG}/gate/${at}`
  const path = `${workspace}/device-templates/${database.workspace.templateId}`
  return changeRight(client, topic, true, async () => {
    await expect(200, one, staff, 'PATCH', path, { mqtt_acl: [ruleOf(topic)] })
  })
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

async function decommission(pair: Pair, device: SeededDevice): Promise<number> {
  const { one, staff, workspace } = pair
  const closed = closeOf(await connectDevice(pair, device))
  const begin = performance.now()
  await expect(200, one, staff, 'POST', `${workspace}/devices/${device.id}/decommission`)
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

/** A provision key is limited to a network that nobody here is in. */
async function limitKey({ one, other, staff, workspace }: Pair): Promise<number> {
  const keys = `${workspace}/api-keys`
  const made = await expect(201, one, staff, 'POST', keys, { key_kind: 'provision' })
  const factory = { 'service-auth-code': made.key }
  const use = (): Promise<Reply> => call(other, factory, 'GET', '/provision/device-templates')
  if ((await use()).status !== 200) throw new Error('the key is refused before it is limited')
  const limits = { allowed_cidrs: ['192.0.2.0/24'] }
  const begin = performance.now()
  await expect(200, one, staff, 'PATCH', `${keys}/${made.id}`, limits)
  await pollStatus(200, 403, use)
  return performance.now() - begin
}

/** A member uses the other process when the membership ends. */
async function removeMember(
  { one, other, staff, workspace }: Pair,
  email: string | undefined,
  password: string,
): Promise<number> {
  const tokens = await expect(200, other, {}, 'POST', '/auth/login', { email, password })
  const member = { authorization: `Bearer ${tokens.access_token}` }
  const { id } = await expect(200, other, member, 'GET', '/auth/me')
  const read = (): Promise<Reply> => call(other, member, 'GET', `${workspace}/devices?limit=1`)
  if ((await read()).status !== 200) throw new Error('the member is refused before its removal')
  const begin = performance.now()
  await expect(200, one, staff, 'DELETE', `${workspace}/members/${id}`)
  await pollStatus(200, 404, read)
  return performance.now() - begin
}

interface Registered {
  device_id: string
  device_key: string
  mqtt_password: string
  device_http_token: string
}

const register = (pair: Pair, status: number, key: string, more = {}): Promise<Registered> =>
  expect(status, pair.one, { 'service-auth-code': key }, 'POST', '/provision/device', {
    template_id: pair.database.workspace.templateId,
    ...more,
  })

/** The other process has refused the device before. */
async function approveDevice(pair: Pair, key: string): Promise<number> {
  const { one, other, staff, workspace } = pair
  const made = await register(pair, 201, key)
  const device = { authorization: `Bearer ${made.device_http_token}` }
  const ask = (): Promise<Reply> => call(other, device, 'GET', '/devices/auth/config')
  if ((await ask()).status !== 403) throw new Error('the device is let in before it is approved')
  const begin = performance.now()
  await expect(200, one, staff, 'POST', `${workspace}/devices/${made.device_id}/approve`, {})
  await pollStatus(403, 200, ask)
  return performance.now() - begin
}

async function suspendPrincipal(pair: Pair, at: number): Promise<number> {
  const { one, staff, workspace } = pair
  const path = `${workspace}/mqtt/principals`
  const made = await expect(201, one, staff, 'POST', path, { name: `bench ${at}` })
  const login = { id: made.id, mqttPassword: made.mqtt_credentials.password }
  const closed = closeOf(await connectDevice(pair, login))
  const begin = performance.now()
  await expect(200, one, staff, 'POST', `${path}/${made.id}/suspend`)
  await closed
  return performance.now() - begin
}

/** A device connects to the first process with its new password; the other has its old session. */
async function useNewSecret(pair: Pair): Promise<number> {
  const { provisionKey } = pair.database.workspace
  const first = await register(pair, 201, provisionKey)
  const { device_id: id, device_key } = first
  const closed = closeOf(await connectDevice(pair, { id, mqttPassword: first.mqtt_password }))
  const second = await register(pair, 200, provisionKey, { device_id: id, device_key })
  const newest = { id, mqttPassword: second.mqtt_password }
  const begin = performance.now()
  const client = await connectDevice(pair, newest, { to: pair.one, clientId: `${id}:new` })
  await closed
  const ms = performance.now() - begin
  await client.endAsync()
  return ms
}

const COUNT = 100
const PASSWORD = 'correct horse battery staple'

/** Changes of what a credential may do. */
async function delaysOfRights(pair: Pair): Promise<Delays[]> {
  const { seeder, workspace } = pair.database
  const hash = await createPasswordHasher().hash(PASSWORD)
  const emails = await seeder.accounts(workspace, hash, COUNT)
  const keys = `${pair.workspace}/api-keys`
  const careful = { key_kind: 'provision', approval: 'required' }
  const { key } = await expect(201, pair.one, pair.staff, 'POST', keys, careful)
  return [
    await delaysOf('a limit of a provision key applies', COUNT, () => limitKey(pair)),
    await delaysOf('a removed member is refused', COUNT, (at) =>
      removeMember(pair, emails[at], PASSWORD),
    ),
    await delaysOf('an approved device is accepted', COUNT, () => approveDevice(pair, key)),
    await delaysOf('the session of a suspended principal ends', COUNT, (at) =>
      suspendPrincipal(pair, at),
    ),
    await delaysOf('a session ends that has an older secret', COUNT, () => useNewSecret(pair)),
  ]
}

/** Changes of what a connected device may publish. */
async function delaysOfRules(pair: Pair, next: () => SeededDevice): Promise<Delays[]> {
  const deleted: number[] = []
  const added = await delaysOf('a rule that is added applies to a session', COUNT, async () => {
    const [one, other] = await changeRules(pair, next())
    deleted.push(other)
    return one
  })
  const client = await connectDevice(pair, next())
  const ofTemplate = await delaysOf(
    'a changed rule of a template applies to a session',
    COUNT,
    (at) => changeTemplate(pair, client, at),
  )
  await client.endAsync()
  const take = async (at: number): Promise<number> => deleted[at] ?? 0
  return [
    added,
    await delaysOf('a rule that is deleted no longer applies', COUNT, take),
    ofTemplate,
  ]
}

export async function delays(fixture: Fixture): Promise<Delays[]> {
  const pair = await openPair(fixture)
  let used = 0
  const next = (): SeededDevice => deviceAt(pair, (used += 1))
  const ofDevices = (what: string, work: (pair: Pair, device: SeededDevice) => Promise<number>) =>
    delaysOf(what, COUNT, () => work(pair, next()))
  return [
    await receiveMessages(pair, COUNT),
    ...(await delaysOfRules(pair, next)),
    await ofDevices('a session that begins is listed', listSession),
    await ofDevices('a session that ends is listed no more', dropSession),
    await ofDevices('a session is disconnected', endSession),
    await ofDevices('the session of a decommissioned device ends', decommission),
    await delaysOf('an event stream ends with its key', COUNT, () => endStream(pair)),
    ...(await delaysOfRights(pair)),
  ]
}
