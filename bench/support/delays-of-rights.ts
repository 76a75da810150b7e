/** How long changes of what a credential may do take to reach another process. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createPasswordHasher } from '../../src/platform/access/passwords.ts'
import {
  call,
  closeOf,
  connectDevice,
  connectPrincipal,
  COUNT,
  type Credential,
  type Delays,
  delaysOf,
  expect,
  openStream,
  type Pair,
  type Reply,
  timeOfChange,
} from './delays.ts'
import type { RunningService } from './environment.ts'

const PASSWORD = 'correct horse battery staple'
/** The number of changes that take longer to prepare. */
const FEW = 25

/** A provision key is limited to a network that nobody here is in. */
async function limitKey({ one, other, staff, workspace }: Pair): Promise<number> {
  const keys = `${workspace}/api-keys`
  const made = await expect(201, one, staff, 'POST', keys, { key_kind: 'provision' })
  const factory = { 'service-auth-code': made.key }
  const limits = { allowed_cidrs: ['192.0.2.0/24'] }
  return timeOfChange({
    ask: () => call(other, factory, 'GET', '/provision/device-templates'),
    before: 200,
    after: 403,
    change: () => expect(200, one, staff, 'PATCH', `${keys}/${made.id}`, limits),
  })
}

/** Signs in at the other process. */
async function signIn({ other }: Pair, email: string): Promise<Credential> {
  const tokens = await expect(200, other, {}, 'POST', '/auth/login', { email, password: PASSWORD })
  return { authorization: `Bearer ${tokens.access_token}` }
}

/** A person uses the other process and signs out at the first one. */
async function signOut(pair: Pair, email: string): Promise<number> {
  const person = await signIn(pair, email)
  return timeOfChange({
    ask: () => call(pair.other, person, 'GET', '/auth/me'),
    before: 200,
    after: 401,
    change: () => expect(204, pair.one, person, 'POST', '/auth/logout'),
  })
}

/** A member becomes a viewer, who may not rename a device. */
async function demoteMember(pair: Pair, email: string): Promise<number> {
  const { one, other, staff, workspace, database } = pair
  const member = await signIn(pair, email)
  const { id } = await expect(200, other, member, 'GET', '/auth/me')
  const device = `${workspace}/devices/${database.devices[0]?.id}`
  const role = { role: 'viewer' }
  return timeOfChange({
    ask: () => call(other, member, 'PATCH', device, { name: email }),
    before: 200,
    after: 403,
    change: () => expect(200, one, staff, 'PATCH', `${workspace}/members/${id}`, role),
  })
}

/** A member uses the other process when the membership ends. */
async function removeMember(pair: Pair, email: string): Promise<number> {
  const { one, other, staff, workspace } = pair
  const member = await signIn(pair, email)
  const { id } = await expect(200, other, member, 'GET', '/auth/me')
  return timeOfChange({
    ask: () => call(other, member, 'GET', `${workspace}/devices?limit=1`),
    before: 200,
    after: 404,
    change: () => expect(200, one, staff, 'DELETE', `${workspace}/members/${id}`),
  })
}

/** A stream of events that somebody reads from the other process ends. */
async function endStream(
  other: RunningService,
  reader: Credential,
  { path, change }: { path: string; change: () => Promise<unknown> },
): Promise<number> {
  const stream = await openStream(other, reader, `${path}/events?after=latest`)
  const ended = once(stream, 'close')
  const begin = performance.now()
  await change()
  await ended
  return performance.now() - begin
}

async function endStreamOfKey({ one, other, staff, workspace }: Pair): Promise<number> {
  const keys = `${workspace}/api-keys`
  const made = await expect(201, one, staff, 'POST', keys, { key_kind: 'platform' })
  const change = () => expect(204, one, staff, 'DELETE', `${keys}/${made.id}`)
  return endStream(other, { 'x-api-key': made.key }, { path: workspace, change })
}

/** A workspace with an owner who is signed in at the other process. */
async function createWorkspace(pair: Pair, email: string) {
  const owner = await signIn(pair, email)
  const slug = `gone-${randomBytes(4).toString('hex')}`
  const { id } = await expect(201, pair.one, owner, 'POST', '/workspaces', { name: slug, slug })
  const path = `/workspaces/${id}`
  const change = () => expect(202, pair.one, owner, 'DELETE', path, { confirm: slug })
  return { owner, path, change }
}

/** An owner reads events when the workspace is deleted. */
async function endStreamOfOwner(pair: Pair, email: string): Promise<number> {
  const { owner, path, change } = await createWorkspace(pair, email)
  return endStream(pair.other, owner, { path, change })
}

/** An owner or a key of a workspace uses the other process when the workspace is deleted. */
async function deleteWorkspace(pair: Pair, email: string, isByKey: boolean): Promise<number> {
  const { one, other } = pair
  const { owner, path, change } = await createWorkspace(pair, email)
  const made = await expect(201, one, owner, 'POST', `${path}/api-keys`, { key_kind: 'platform' })
  const reader = isByKey ? { 'x-api-key': made.key } : owner
  return timeOfChange({
    ask: () => call(other, reader, 'GET', `${path}/devices?limit=1`),
    before: 200,
    after: isByKey ? 401 : 404,
    change,
  })
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

/** A request of a device to the other process. */
const askAs =
  (pair: Pair, { device_http_token: token }: Registered) =>
  (): Promise<Reply> =>
    call(pair.other, { authorization: `Bearer ${token}` }, 'GET', '/devices/auth/config')

/** The other process has refused the device before. */
async function approveDevice(pair: Pair, key: string): Promise<number> {
  const { one, staff, workspace } = pair
  const made = await register(pair, 201, key)
  return timeOfChange({
    ask: askAs(pair, made),
    before: 403,
    after: 200,
    change: () =>
      expect(200, one, staff, 'POST', `${workspace}/devices/${made.device_id}/approve`, {}),
  })
}

/** A device uses its HTTP token with the other process when a request makes it invalid. */
async function endToken(pair: Pair, action: string): Promise<number> {
  const { one, staff, workspace, database } = pair
  const made = await register(pair, 201, database.workspace.provisionKey)
  return timeOfChange({
    ask: askAs(pair, made),
    before: 200,
    after: 401,
    change: () =>
      expect(200, one, staff, 'POST', `${workspace}/devices/${made.device_id}/${action}`),
  })
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
    await delaysOf(pair, 'a workspace that is deleted refuses its keys', FEW, (at) =>
      deleteWorkspace(pair, of(at), true),
    ),
    await delaysOf(pair, 'a workspace that is deleted refuses its members', FEW, (at) =>
      deleteWorkspace(pair, of(at), false),
    ),
    await delaysOf(pair, 'a session that was signed out is refused', COUNT, (at) =>
      signOut(pair, of(at)),
    ),
    await delaysOf(pair, 'an event stream ends with its workspace', FEW, (at) =>
      endStreamOfOwner(pair, of(at)),
    ),
    await delaysOf(pair, 'a member with a lesser role is refused', COUNT, (at) =>
      demoteMember(pair, of(at)),
    ),
    await delaysOf(pair, 'a removed member is refused', COUNT, (at) => removeMember(pair, of(at))),
  ]
}

async function delaysOfPrincipals(pair: Pair): Promise<Delays[]> {
  const ends = (what: string, ending: Ending): Promise<Delays> =>
    delaysOf(pair, what, COUNT, (at) => endPrincipal(pair, ending, at))
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
    await delaysOf(pair, 'a session ends when its new expiry is over', FEW, (at) =>
      expirePrincipal(pair, at),
    ),
  ]
}

export async function delaysOfRights(pair: Pair): Promise<Delays[]> {
  const keys = `${pair.workspace}/api-keys`
  const careful = { key_kind: 'provision', approval: 'required' }
  const { key } = await expect(201, pair.one, pair.staff, 'POST', keys, careful)
  return [
    await delaysOf(pair, 'a limit of a provision key applies', COUNT, () => limitKey(pair)),
    await delaysOf(pair, 'an event stream ends with its key', COUNT, () => endStreamOfKey(pair)),
    ...(await delaysOfPeople(pair)),
    await delaysOf(pair, 'an approved device is accepted', COUNT, () => approveDevice(pair, key)),
    await delaysOf(pair, 'the token of a suspended device is refused', COUNT, () =>
      endToken(pair, 'suspend'),
    ),
    await delaysOf(pair, 'the token of a device is refused after a reset', COUNT, () =>
      endToken(pair, 'credentials/reset'),
    ),
    ...(await delaysOfPrincipals(pair)),
    await delaysOf(pair, 'a session ends that has an older secret', COUNT, () =>
      useNewSecret(pair),
    ),
  ]
}
