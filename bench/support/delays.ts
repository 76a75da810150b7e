/** Times until a change made through one process has its effect in another one of the database. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connectAsync, type MqttClient } from 'mqtt'
import type { SeededDevice } from './seed.ts'
import type { RunningService, SeededDatabase, Fixture } from './environment.ts'
import { plainTable } from './plain-table.ts'

const PROMISE_MS = 1_000
/** The repetitions of each change. */
export const COUNT = 100
/** A change that has no effect until then ends the bench. */
const LONGEST_MS = 30_000

export interface Delays {
  what: string
  /** Milliseconds since the request for the change was sent, in ascending order. */
  ms: number[]
}

const agent = new Agent({ keepAlive: true })

export type Credential = Readonly<Record<string, string>>

export interface Reply {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- each caller knows what it asked for
  body: any
}

async function send(
  { ports }: RunningService,
  headers: Record<string, string>,
  method: string,
  path: string,
  body?: object,
): Promise<IncomingMessage> {
  const options = { host: '127.0.0.1', port: ports.http, path: `/api/v1${path}`, method, headers }
  const sending = request({ ...options, agent })
  const text = body && JSON.stringify(body)
  // Node says the length of a body by itself, but not of one of DELETE.
  if (text !== undefined) sending.setHeader('content-length', Buffer.byteLength(text))
  sending.end(text)
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  // The response itself says that it was cut off.
  sending.on('error', () => {})
  return response
}

export async function call(
  service: RunningService,
  credential: Credential,
  method: string,
  path: string,
  body?: object,
): Promise<Reply> {
  const headers = { ...credential, ...(body && { 'content-type': 'application/json' }) }
  const response = await send(service, headers, method, path, body)
  const text = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode ?? 0, body: text === '' ? {} : JSON.parse(text) }
}

/** A call that must succeed. @returns the body of its response. */
export async function expect(
  expected: number,
  ...[service, credential, method, path, body]: Parameters<typeof call>
): Promise<Reply['body']> {
  const reply = await call(service, credential, method, path, body)
  if (reply.status === expected) return reply.body
  throw new Error(`${method} ${path}: ${reply.status}: ${JSON.stringify(reply.body)}`)
}

/** Asks again and again. @param what for the error after 30 seconds */
export async function pollUntil(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + LONGEST_MS
  while (!(await isSo())) {
    if (performance.now() > until) throw new Error(`not within ${LONGEST_MS} ms: ${what}`)
  }
}

interface StatusChange {
  /** The request, with the status that it has before the change and after it. */
  ask: () => Promise<Reply>
  before: number
  after: number
  change: () => Promise<unknown>
}

/** Repeats a request until a change has its effect. @returns how long that took */
export async function timeOfChange({ ask, before, after, change }: StatusChange): Promise<number> {
  const askFor = async (...expected: number[]): Promise<number> => {
    const { status, body } = await ask()
    if (expected.includes(status)) return status
    throw new Error(`${status} instead of ${expected.join(' or ')}: ${JSON.stringify(body)}`)
  }
  await askFor(before)
  const begin = performance.now()
  await change()
  await pollUntil(`a response ${after}`, async () => (await askFor(before, after)) === after)
  return performance.now() - begin
}

/** An open stream of server-sent events. */
export async function openStream(
  service: RunningService,
  credential: Credential,
  path: string,
): Promise<IncomingMessage> {
  const headers = { ...credential, accept: 'text/event-stream' }
  const stream = await send(service, headers, 'GET', path)
  if (stream.statusCode !== 200) throw new Error(`${path}: ${stream.statusCode}`)
  return stream.resume()
}

export interface Pair {
  one: RunningService
  other: RunningService
  database: SeededDatabase
  /** The credential of staff. */
  staff: Credential
  /** Path of the workspace. */
  workspace: string
  /** Only lines with this text are measured. */
  only: string
}

export async function openPair(fixture: Fixture, only: string): Promise<Pair> {
  const database = await fixture.newDatabase()
  const [one, other] = await Promise.all([
    fixture.startService(database, {}, { isShared: true }),
    fixture.startService(database, {}, { isShared: true }),
  ])
  const { id, platformKey } = database.workspace
  return {
    one,
    other,
    database,
    staff: { 'x-api-key': platformKey },
    workspace: `/workspaces/${id}`,
    only,
  }
}

export function deviceAt({ database }: Pair, at: number): SeededDevice {
  const device = database.devices[at]
  if (device === undefined) throw new Error('there are too few devices')
  return device
}

/** Connects a device or a principal, by default to the other process. */
export async function connectDevice(
  { other }: Pair,
  device: Pick<SeededDevice, 'id' | 'mqttPassword'>,
  { to = other, clientId = device.id } = {},
): Promise<MqttClient> {
  const client = await connectAsync(`mqtt://127.0.0.1:${to.ports.mqtt}`, {
    username: device.id,
    clientId,
    password: device.mqttPassword,
    reconnectPeriod: 0,
    protocolVersion: 5,
  })
  client.on('error', () => {})
  return client
}

interface ConnectedPrincipal {
  id: string
  /** Path of the principal. */
  path: string
  client: MqttClient
}

export async function connectPrincipal(pair: Pair, name: string): Promise<ConnectedPrincipal> {
  const path = `${pair.workspace}/mqtt/principals`
  const { id, mqtt_credentials: login } = await expect(201, pair.one, pair.staff, 'POST', path, {
    name,
  })
  const client = await connectDevice(pair, { id, mqttPassword: login.password })
  return { id, path: `${path}/${id}`, client }
}

export const closeOf = (client: MqttClient): Promise<void> =>
  new Promise((resolve, reject) => {
    const late = new Error(`not within ${LONGEST_MS} ms: the session ends`)
    const timer = setTimeout(() => reject(late), LONGEST_MS).unref()
    client.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/**
 * Makes some changes so many times, one after the other.
 * @param names a line of the table for each of the times that `once` returns
 * @returns no times if none of the lines is to be measured
 */
export async function delaysOfEach(
  { only }: Pair,
  names: readonly string[],
  count: number,
  once: (at: number) => Promise<readonly number[]>,
): Promise<Delays[]> {
  const times: (readonly number[])[] = []
  if (names.some((what) => what.includes(only))) {
    while (times.length < count) times.push(await once(times.length))
  }
  return names.map((what, line) => ({
    what,
    ms: times.map((each) => each[line] as number).toSorted((a, b) => a - b),
  }))
}

/** Makes a change so many times, one after the other. */
export async function delaysOf(
  pair: Pair,
  what: string,
  count: number,
  once: (at: number) => Promise<number>,
): Promise<Delays> {
  const [delays] = await delaysOfEach(pair, [what], count, async (at) => [await once(at)])
  return delays as Delays
}

export function delaysTable(times: readonly Delays[]): string {
  const measured = times.filter(({ ms }) => ms.length > 0)
  const rows = measured.map(({ what, ms }) => {
    const at = (share: number): string =>
      `${(ms[Math.min(ms.length - 1, Math.floor(ms.length * share))] ?? 0).toFixed(0)} ms`
    const isKept = (ms.at(-1) ?? 0) <= PROMISE_MS
    return [what, String(ms.length), at(0.5), at(0.99), at(1), isKept ? 'kept' : 'short']
  })
  const head = ['in the other process', 'times', 'median', '99 of 100', 'most', 'within 1 s']
  return plainTable([head, ...rows])
}
