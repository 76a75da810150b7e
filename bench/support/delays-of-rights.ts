/** How long changes of what a credential may do take to reach another process. */
import type { MqttClient } from 'mqtt'
import { createPasswordHasher } from '../../src/platform/access/passwords.ts'
import {
  call,
  closeOf,
  connectDevice,
  COUNT,
  type Credential,
  type Delays,
  delaysOf,
  expect,
  type Pair,
  pollStatus,
  type Reply,
} from './delays.ts'

const PASSWORD = 'correct horse battery staple'
/** The number of changes that take longer to prepare. */
const FEW = 25

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

/** Signs in at the other process. */
async function signIn({ other }: Pair, email: string): Promise<Credential> {
  const tokens = await expect(200, other, {}, 'POST', '/auth/login', { email, password: PASSWORD })
  return { authorization: `Bearer ${tokens.access_token}` }
}

/** A member becomes a viewer, who may not rename a device. */
async function demoteMember(pair: Pair, email: string): Promise<number> {
  const { one, other, staff, workspace, database } = pair
  const member = await signIn(pair, email)
  const { id } = await expect(200, other, member, 'GET', '/auth/me')
  const device = `${workspace}/devices/${database.devices[0]?.id}`
  const rename = (): Promise<Reply> => call(other, member, 'PATCH', device, { name: email })
  if ((await rename()).status !== 200) throw new Error('the member is refused before the change')
  const begin = performance.now()
  await expect(200, one, staff, 'PATCH', `${workspace}/members/${id}`, { role: 'viewer' })
  await pollStatus(200, 403, rename)
  return performance.now() - begin
}

/** A member uses the other process when the membership ends. */
async function removeMember(pair: Pair, email: string): Promise<number> {
  const { one, other, staff, workspace } = pair
  const member = await signIn(pair, email)
  const { id } = await expect(200, other, member, 'GET', '/auth/me')
  const read = (): Promise<Reply> => call(other, member, 'GET', `${workspace}/devices?limit=1`)
  if ((await read()).status !== 200) throw new Error('the member is refused before its removal')
  const begin = performance.now()
  await expect(200, one, staff, 'DELETE', `${workspace}/members/${id}`)
  await pollStatus(200, 404, read)
  return performance.now() - begin
}

/** A key uses the other process when its workspace is deleted. */
async function deleteWorkspace(pair: Pair, email: string, at: number): Promise<number> {
  const { one, other } = pair
  const owner = await signIn(pair, email)
  const slug = `gone-${at}`
  const { id } = await expect(201, one, owner, 'POST', '/workspaces', { name: slug, slug })
  const path = `/workspaces/${id}`
  const made = await expect(201, one, owner, 'POST', `${path}/api-keys`, { key_kind: 'platform' })
  const key = { 'x-api-key': made.key }
  const read = (): Promise<Reply> => call(other, key, 'GET', `${path}/devices?limit=1`)
  if ((await read()).status !== 200) throw new Error('the key is refused before the deletion')
  const begin = performance.now()
  await expect(202, one, owner, 'DELETE', path, { confirm: slug })
  await pollStatus(200, 401, read)
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

interface ConnectedPrincipal {
  /** Path of the principal. */
  path: string
  client: MqttClient
}

async function connectPrincipal(pair: Pair, name: string): Promise<ConnectedPrincipal> {
  const path = `${pair.workspace}/mqtt/principals`
  const made = await expect(201, pair.one, pair.staff, 'POST', path, { name })
  const login = { id: made.id, mqttPassword: made.mqtt_credentials.password }
  return { path: `${path}/${made.id}`, client: await connectDevice(pair, login) }
}

/** A request that ends the sessions of a principal. */
interface Ending {
  method: string
  /** Is added to the path of the principal. */
  action: string
  status: number
}

async function endPrincipal(pair: Pair, ending: Ending, at: number): Promise<number> {
  const { method, action, status } = ending
  const { path, client } = await connectPrincipal(pair, `bench ${method} ${action} ${at}`)
  const closed = closeOf(client)
  const begin = performance.now()
  await expect(status, pair.one, pair.staff, method, path + action)
  await closed
  return performance.now() - begin
}

const SOON_MS = 400

/** A principal gets an expiry that is soon. @returns counted from then */
async function expirePrincipal(pair: Pair, at: number): Promise<number> {
  const { path, client } = await connectPrincipal(pair, `bench expiry ${at}`)
  const closed = closeOf(client)
  const expiry = Date.now() + SOON_MS
  const body = { expires_at: new Date(expiry).toISOString() }
  await expect(200, pair.one, pair.staff, 'PATCH', path, body)
  await closed
  return Date.now() - expiry
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

async function delaysOfPeople(pair: Pair): Promise<Delays[]> {
  const { seeder, workspace } = pair.database
  const hash = await createPasswordHasher().hash(PASSWORD)
  const emails = await seeder.accounts(workspace, hash, COUNT)
  const of = (at: number): string => emails[at] as string
  return [
    await delaysOf('a workspace that is deleted refuses its keys', FEW, (at) =>
      deleteWorkspace(pair, of(at), at),
    ),
    await delaysOf('a member with a lesser role is refused', COUNT, (at) =>
      demoteMember(pair, of(at)),
    ),
    await delaysOf('a removed member is refused', COUNT, (at) => removeMember(pair, of(at))),
  ]
}

async function delaysOfPrincipals(pair: Pair): Promise<Delays[]> {
  const ends = (what: string, ending: Ending): Promise<Delays> =>
    delaysOf(what, COUNT, (at) => endPrincipal(pair, ending, at))
  return [
    await ends('the session of a suspended principal ends', {
      method: 'POST',
      action: '/suspend',
      status: 200,
    }),
    await ends('the sessions of a principal are disconnected', {
      method: 'POST',
      action: '/disconnect',
      status: 204,
    }),
    await ends('the session of a deleted principal ends', {
      method: 'DELETE',
      action: '',
      status: 204,
    }),
    await delaysOf('a session ends when its new expiry is over', FEW, (at) =>
      expirePrincipal(pair, at),
    ),
  ]
}

export async function delaysOfRights(pair: Pair): Promise<Delays[]> {
  const keys = `${pair.workspace}/api-keys`
  const careful = { key_kind: 'provision', approval: 'required' }
  const { key } = await expect(201, pair.one, pair.staff, 'POST', keys, careful)
  return [
    await delaysOf('a limit of a provision key applies', COUNT, () => limitKey(pair)),
    ...(await delaysOfPeople(pair)),
    await delaysOf('an approved device is accepted', COUNT, () => approveDevice(pair, key)),
    ...(await delaysOfPrincipals(pair)),
    await delaysOf('a session ends that has an older secret', COUNT, () => useNewSecret(pair)),
  ]
}
