/**
 * A device in Node: connects over MQTT with the credentials that the factory stored, reports its
 * state, executes commands, applies its configuration, rotates its credentials when it is asked to,
 * and on request lets a phone claim it. docs/firmware.md has the reasons.
 */
import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync } from 'node:fs'
import { renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { MqttClient } from 'mqtt'
import type { ProvisionedDevice } from '../sdk/schema.ts'
import { connect, fail, openClient, readOptions, url } from './api.ts'

const help = `Usage: npx node examples/device.ts --credentials device.json [options]

  --credentials <file>   one line of what examples/factory.ts prints (or DEVICE_CREDENTIALS)
  --url <origin>         of the service (or API_URL; http://127.0.0.1:8080)
  --claim <code>         bind the device to the phone that shows this code
  --rotate               ask for new credentials first
  --for <seconds>        how long it runs; without end if left out

Keeps new credentials and its configuration next to the file.

Example: npx node examples/device.ts --credentials device.json --claim pc_…`

const values = readOptions(help, {
  credentials: { type: 'string', default: process.env['DEVICE_CREDENTIALS'] },
  url,
  claim: { type: 'string' },
  rotate: { type: 'boolean' },
  for: { type: 'string', default: 'Infinity' },
})

const FIRST_WAIT_MS = 1_000
/** After a refusal: its cause does not change by itself. */
const FIRST_WAIT_REFUSED_MS = 30_000
const MAX_WAIT_MS = 300_000
const DAY_MS = 86_400_000
const BAD_CREDENTIALS = 4
const REFUSED = [2, BAD_CREDENTIALS, 5]

const file = values.credentials ?? ''
const next = `${file}.next`
const configFile = `${file}.config`
const end = Date.now() + Number(values.for) * 1_000

/** Its work, and the memory that it keeps. */
const device = {
  isOn: false,
  count: 0,
  reportMs: 2_000,
  mustRotate: false,
  lastCommand: '',
  /** Whether it is connected with the newer credentials. */
  isNew: false,
}

interface Command {
  id: string
  name: string
  payload?: { on?: unknown } | null
}

interface ConfigChunk {
  rid: string
  ok: boolean
  version: number
  sha256: string
  encoding: string
  chunk_index: number
  total_chunks: number
  data_b64: string
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function promote(from: string, to: string): void {
  renameSync(from, to)
  sync(dirname(to))
}

/** Returns once the text survives a power failure, which never leaves half of it. */
function save(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true })
  promote(`${path}.new`, path)
}

const readCredentials = (path: string): ProvisionedDevice | undefined =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as ProvisionedDevice) : undefined

function requireCredentials(): ProvisionedDevice {
  const login = readCredentials(file)
  if (login?.mqtt_password) return login
  throw new Error(`${file} holds no response of POST /provision/device`)
}

const openApi = ({ device_http_token: token }: ProvisionedDevice) =>
  openClient(values.url, { token })

/** Stored before they are used: the first use of the new credentials ends the old ones. */
async function rotate(login: ProvisionedDevice): Promise<void> {
  const answer = await openApi(login).call('rotateOwnCredentials')
  save(next, `${JSON.stringify(answer)}\n`)
  console.log('rotated its credentials')
}

/**
 * Asks whether to rotate. That uses the token as well: only when both the password and the token
 * were accepted do the new credentials take the place of the old ones.
 */
async function checkIn(login: ProvisionedDevice): Promise<void> {
  const me = await openApi(login).call('getOwnDevice')
  if (me.rotation_due) device.mustRotate = true
  if (device.isNew) promote(next, file)
  device.isNew = false
}

function configure(text: string): boolean {
  const { report_s: seconds = device.reportMs / 1_000 } = JSON.parse(text) as { report_s?: unknown }
  if (typeof seconds !== 'number' || seconds <= 0) return false
  device.reportMs = seconds * 1_000
  return true
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

type Publish = (topic: string, payload: object) => void

/** Publishes its state on the topic `state`. */
function report(publish: Publish): void {
  device.count += 1
  const state = { on: device.isOn, count: device.count }
  publish('state', state)
  console.log(`published ${JSON.stringify(state)} as its state`)
}

/** Each command once, however often it arrives. */
function execute({ id, name, payload }: Command, publish: Publish): void {
  if (id === device.lastCommand) return
  device.lastCommand = id
  let error: string | undefined
  if (name === 'set' && typeof payload?.on === 'boolean') device.isOn = payload.on
  else if (name === 'rotate_credentials') device.mustRotate = true
  else error = 'unknown command'
  publish('ack', error === undefined ? { id, ok: true } : { id, ok: false, error })
  report(publish)
}

/** The service has another configuration than the stored one: asks for it. */
function askForConfig(meta: { sha256: string }, publish: Publish): void {
  const have = existsSync(configFile) ? hashOf(readFileSync(configFile, 'utf8')) : undefined
  const want = { max_total_bytes: 65_536, accept_encoding: ['gzip'] }
  if (meta.sha256 !== have) publish('config/get', { rid: meta.sha256, want })
}

/** Puts chunks together, and applies what they make. */
function chunkCollector(publish: Publish): (chunk: ConfigChunk) => void {
  let parts: Buffer[] = []
  return ({ ok, chunk_index: index, total_chunks: total, data_b64: data, ...about }) => {
    if (!ok) return
    if (index === 0) parts = []
    parts.push(Buffer.from(data, 'base64'))
    if (index !== total - 1) return
    const bytes = Buffer.concat(parts)
    const text = String(about.encoding === 'gzip' ? gunzipSync(bytes) : bytes)
    const sha256 = hashOf(text)
    const applied = sha256 === about.sha256 && configure(text)
    if (applied) save(configFile, text)
    publish('config/status', { rid: about.rid, applied, version: about.version, sha256 })
  }
}

/** The effect of each topic of the device. */
function handlersOf(publish: Publish): Record<string, (payload: never) => void> {
  return {
    cmd: (command: Command) => execute(command, publish),
    'config/meta': (meta: { sha256: string }) => askForConfig(meta, publish),
    'config/resp': chunkCollector(publish),
  }
}

const retryMs = (firstMs: number): number => firstMs * (1 + Math.random())

async function succeeds(call: Promise<void>): Promise<boolean> {
  const failure = await call.catch((error: Error) => error)
  if (failure !== undefined) console.log(failure.message)
  return failure === undefined
}

/** Until the connection ends, the time is over, or there are new credentials. */
async function serve(client: MqttClient, login: ProvisionedDevice): Promise<void> {
  const prefix = `${login.workspace_slug}/${login.device_key}/`
  const publish: Publish = (topic, payload) =>
    void client.publish(prefix + topic, JSON.stringify(payload), { qos: 1 })
  const handlers = handlersOf(publish)
  // The loop below notices that the connection has ended.
  client.on('error', (error) => console.log(error.message))
  client.on('message', (topic, payload) => {
    console.log(`${topic}: ${payload.toString()}`)
    // An empty message on config/meta: the device was deleted.
    if (payload.length > 0) {
      handlers[topic.slice(prefix.length)]?.(JSON.parse(payload.toString()) as never)
    }
  })
  await client.subscribeAsync(
    Object.keys(handlers).map((topic) => prefix + topic),
    { qos: 1 },
  )
  let [checkAt, reportAt, rotateAt] = [0, 0, 0]
  while (client.connected && Date.now() < end) {
    const now = Date.now()
    if (now >= checkAt) {
      checkAt = now + ((await succeeds(checkIn(login))) ? DAY_MS : retryMs(30_000))
    }
    if (now >= reportAt) {
      report(publish)
      reportAt = now + device.reportMs
    }
    if (device.mustRotate && now >= rotateAt) {
      device.mustRotate = !(await succeeds(rotate(login)))
      if (!device.mustRotate) break
      rotateAt = now + retryMs(2_000)
    }
    await sleep(200)
  }
  await client.endAsync()
}

/** The newer credentials first; the older ones only if those are refused. */
async function connectWithAny(): Promise<{ client: MqttClient; login: ProvisionedDevice }> {
  const newer = readCredentials(next)
  if (newer !== undefined) {
    const client = await connect(newer).catch((error: Error & { code?: unknown }) => {
      if (error.code !== BAD_CREDENTIALS) throw error
    })
    if (client) {
      device.isNew = true
      return { client, login: newer }
    }
  }
  const login = requireCredentials()
  const client = await connect(login)
  device.isNew = false
  // The newer ones have expired without being used.
  rmSync(next, { force: true })
  return { client, login }
}

/** Waits between half and all of a time that doubles with each attempt. */
function backOff(attempt: number, firstMs: number): Promise<void> {
  const max = Math.min(firstMs * 2 ** attempt, MAX_WAIT_MS)
  return sleep(max / 2 + (Math.random() * max) / 2)
}

async function bind(claim_code: string): Promise<void> {
  await openApi(requireCredentials()).call('bindClaim', { body: { claim_code } })
  console.log('bound to the phone that shows the code')
}

async function run(): Promise<void> {
  requireCredentials()
  if (values.claim !== undefined) await bind(values.claim)
  if (existsSync(configFile)) configure(readFileSync(configFile, 'utf8'))
  device.mustRotate = values.rotate === true
  let attempt = 0
  while (Date.now() < end) {
    let code: unknown
    try {
      const { client, login } = await connectWithAny()
      console.log(`connected as ${login.device_key}`)
      const since = Date.now()
      await serve(client, login)
      if (existsSync(next) || Date.now() >= end) continue
      // A connection that lasted was a success; one that ends at once is a failed attempt.
      if (Date.now() - since > 30_000) attempt = 0
    } catch (error) {
      code = (error as { code?: unknown }).code
      console.log(`not connected: ${(error as Error).message}`)
    }
    await backOff(attempt, REFUSED.includes(code as number) ? FIRST_WAIT_REFUSED_MS : FIRST_WAIT_MS)
    attempt += 1
  }
}

if (values.credentials === undefined) fail(new Error(help))
else await run().catch(fail)
