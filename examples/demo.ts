/**
 * Walks through a running service step by step: an owner creates keys and a template, a factory
 * provisions a device, the device connects over MQTT and rotates its credentials, a phone claims
 * it, and a revoked key is refused. It can be run repeatedly.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MqttClient } from 'mqtt'
import { type Client, MooringError } from '../sdk/client.ts'
import type { CreatedApiKey, ProvisionedDevice, Workspace } from '../sdk/schema.ts'
import { connect, fail, openClient, readOptions } from './api.ts'

const { env } = process
const port = env['MOORING_HTTP_PORT'] || '8080'

const help = `Usage: npm run demo -- [options]

Plays owner, factory, device and phone against the running service.

  --url <origin>         of the service (or MOORING_ORIGIN; http://127.0.0.1:${port})
  --email <address>      of the owner (or MOORING_BOOTSTRAP_EMAIL)
  --password <password>  of the owner (or MOORING_BOOTSTRAP_PASSWORD)

Without email and password they are read from first-owner.txt in the data folder
(MOORING_DATA_DIR, ./data), where the first start has left them, or asked for.`

const values = readOptions(help, {
  url: { type: 'string', default: env['MOORING_ORIGIN'] || `http://127.0.0.1:${port}` },
  email: { type: 'string', default: env['MOORING_BOOTSTRAP_EMAIL'] },
  password: { type: 'string', default: env['MOORING_BOOTSTRAP_PASSWORD'] },
})

const as = (credential: Parameters<typeof openClient>[1]): Client =>
  openClient(values.url, credential)

const isRefused = (error: unknown, code: string): boolean =>
  error instanceof MooringError && error.code === code

const OTHER_ACCOUNT =
  'Make another one with npm run -s mooring -- accounts create --email demo@example.com ' +
  '--workspace main --role admin --password-stdin, and name it with --email and --password.'

let steps = 0
function step(who: string, what: string): void {
  steps += 1
  console.log(`${String(steps).padStart(2)}  ${who.padEnd(8)} ${what}`)
}

async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) throw new Error(`Who signs in? Give --email and --password.\n\n${help}`)
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await reader.question(question)
  reader.close()
  return answer
}

const file = join(env['MOORING_DATA_DIR'] || './data', 'first-owner.txt')

interface Account {
  email: string
  password: string
}

async function readOwner(): Promise<Account> {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const kept = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]
  return {
    email: values.email ?? kept('email') ?? (await ask('Email of the owner: ')),
    password: values.password ?? kept('password') ?? (await ask('Password: ')),
  }
}

/** The password of the first start is only good to choose another one, which the file keeps. */
async function changePassword(owner: Client, { email, password }: Account): Promise<void> {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (!text.includes(`password: ${password}\n`)) {
    throw new Error('This password must be changed first: POST /auth/password.')
  }
  const new_password = randomBytes(18).toString('base64url')
  await owner.call('changePassword', { body: { current_password: password, new_password } })
  writeFileSync(file, `email: ${email}\npassword: ${new_password}\n`)
  step('owner', 'changes the initial password; the new one is in first-owner.txt')
}

async function signIn(): Promise<{ owner: Client; workspace: Workspace }> {
  const account = await readOwner()
  const login = await as({})
    .call('login', { body: account })
    .catch((error: Error) => {
      if (!isRefused(error, 'invalid_credentials')) throw error
      // The file has the password of the first start.
      throw new Error(`${error.message} If it was changed, give --email and --password.`)
    })
  const token = login.access_token
  if (token === undefined) throw new Error(`This account has a second factor. ${OTHER_ACCOUNT}`)
  const owner = as({ token })
  if (login.password_change_required) await changePassword(owner, account)
  const { items } = await owner.call('listWorkspaces')
  const workspace = items.find(({ role }) => role === 'owner' || role === 'admin')
  if (workspace === undefined) throw new Error('This account administers no workspace.')
  step('owner', `signs in as ${account.email}; the workspace is ${workspace.slug}`)
  return { owner, workspace }
}

async function prepare(owner: Client, params: { id: string }) {
  const makeKey = (key_kind: 'provision' | 'platform') =>
    owner.call('createApiKey', { params, body: { key_kind, name: `Demo, ${key_kind}` } })
  const [provision, platform] = [await makeKey('provision'), await makeKey('platform')]
  step('owner', `makes a provision key (${provision.key_hint}) and a platform key`)
  const body = { model_key: 'demo-lamp', name: 'Demo lamp', serial_format: 'LAMP-%Y-%#f' }
  try {
    await owner.call('createDeviceTemplate', { params, body })
    step('owner', 'makes the device template demo-lamp')
  } catch (error) {
    if (!isRefused(error, 'model_key_taken')) throw error
    step('owner', 'has the device template demo-lamp already')
  }
  return { provision, platform }
}

async function provision({ key }: CreatedApiKey): Promise<ProvisionedDevice> {
  const factory = as({ provisionKey: key })
  const { items } = await factory.call('listProvisionTemplates', { query: { limit: 200 } })
  const template = items.find(({ model_key: model }) => model === 'demo-lamp')
  if (template === undefined) throw new Error('The key sees no device template demo-lamp.')
  const body = { template_id: template.id, hardware_id: `demo-${crypto.randomUUID()}` }
  const device = await factory.call('provisionDevice', { body })
  step('factory', `provisions ${device.device_key}`)
  const again = await factory.call('provisionDevice', { body })
  if (again.device_id !== device.device_id) throw new Error('A retry made a second device.')
  step('factory', 'sends the same again, as after a lost response: still one device')
  return device
}

/** Polls until the backend sees what the device has published. */
async function awaitState(
  backend: Client,
  params: { id: string; device_id: string },
  wanted: object,
): Promise<void> {
  const text = JSON.stringify(wanted)
  for (let tries = 0; tries < 100; tries += 1) {
    const found = await backend.call('getDeviceState', { params }).catch(() => undefined)
    if (JSON.stringify(found?.state) === text) return step('backend', `reads the state ${text}`)
    await sleep(100)
  }
  throw new Error('The state did not arrive within ten seconds.')
}

async function live(
  device: ProvisionedDevice,
  { id }: Workspace,
  backend: Client,
): Promise<MqttClient> {
  const topic = `${device.workspace_slug}/${device.device_key}/state`
  const client = await connect(device)
  step('device', `connects to ${device.mqtt_host}:${device.mqtt_port} over MQTT`)
  await client.publishAsync(topic, '{"on":true}', { qos: 1 })
  step('device', `publishes {"on":true} on ${topic}`)
  await awaitState(backend, { id, device_id: device.device_id }, { on: true })
  return client
}

async function rotate(device: ProvisionedDevice, before: MqttClient): Promise<MqttClient> {
  const next = await as({ token: device.device_http_token }).call('rotateOwnCredentials')
  step('device', 'asks for new credentials; the old ones still work')
  const gone = new Promise<void>((resolve) => before.once('close', () => resolve()))
  const client = await connect({ ...device, ...next })
  await gone
  step('device', 'connects with the new password, which ends the old session')
  const refused = await connect(device).catch((error: Error) => error)
  if (!(refused instanceof Error)) throw new Error('The old password still works.')
  step('device', `tries the old password: ${refused.message}`)
  Object.assign(device, next)
  return client
}

async function claim(device: ProvisionedDevice, workspace: Workspace): Promise<void> {
  const session = await as({}).call('startMoidSession')
  const phone = as({ token: session.access_token })
  const { claim_id, claim_code } = await phone.call('createClaim', {
    body: { workspace_id: workspace.id, name: 'Lamp in the hall' },
  })
  step('phone', `shows the claim code ${claim_code}`)
  const waiting = phone.poll(
    'getClaim',
    { params: { claim_id } },
    ({ status }) => status !== 'open',
  )
  await as({ token: device.device_http_token }).call('bindClaim', { body: { claim_code } })
  step('device', 'binds itself with the code')
  step('phone', `learns that the claim is ${(await waiting).status}`)
  const { items } = await phone.call('listMoidDevices')
  step(
    'phone',
    `lists its devices: ${items.map(({ name, device_key: key }) => `${name} (${key})`).join(', ')}`,
  )
}

/** Every process of the service refuses a revoked key within a second. */
async function refusalOf(factory: Client): Promise<MooringError> {
  const end = Date.now() + 1_000
  do {
    const error: unknown = await factory.call('listProvisionTemplates').catch((each) => each)
    if (error instanceof MooringError && error.status === 401) return error
    await sleep(50)
  } while (Date.now() < end)
  throw new Error('The key still works.')
}

async function revoke(
  owner: Client,
  { id }: Workspace,
  { provision, platform }: { provision: CreatedApiKey; platform: CreatedApiKey },
): Promise<void> {
  await owner.call('revokeApiKey', { params: { id, key_id: provision.id } })
  step('owner', 'revokes the provision key')
  const { status, code } = await refusalOf(as({ provisionKey: provision.key }))
  step('factory', `is refused: ${status} ${code}`)
  await owner.call('revokeApiKey', { params: { id, key_id: platform.id } })
}

async function main(): Promise<void> {
  const { owner, workspace } = await signIn()
  const keys = await prepare(owner, { id: workspace.id })
  const device = await provision(keys.provision)
  const first = await live(device, workspace, as({ apiKey: keys.platform.key }))
  const client = await rotate(device, first)
  try {
    await claim(device, workspace)
    await revoke(owner, workspace, keys)
  } finally {
    await client.endAsync()
  }
  console.log(`\nDone. The reference is at ${values.url}/api/v1/reference`)
}

await main().catch((error: unknown) => {
  fail(error)
  if (!isRefused(error, 'mfa_required')) return
  console.error(
    'The demo cannot prove a second factor: run it without MOORING_MFA_REQUIRED=on, and as an ' +
      'account whose workspace does not require one.',
  )
})
