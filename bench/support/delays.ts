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

/** Repeats a request until it has another status than before, which must be this one. */
export const pollStatus = (
  before: number,
  after: number,
  ask: () => Promise<Reply>,
): Promise<void> =>
  pollUntil(`a response ${after}`, async () => {
    const { status, body } = await ask()
    if (status === after || status === before) return status === after
    throw new Error(`${status} instead of ${after}: ${JSON.stringify(body)}`)
  })

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
}

export async function openPair(fixture: Fixture): Promise<Pair> {
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

export const closeOf = (client: MqttClient): Promise<void> =>
  new Promise((resolve, reject) => {
    const late = new Error(`not within ${LONGEST_MS} ms: the session ends`)
    const timer = setTimeout(() => reject(late), LONGEST_MS).unref()
    client.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Makes a change so many times, one after the other. */
export async function delaysOf(
  what: string,
  count: number,
  once: (at: number) => Promise<number>,
): Promise<Delays> {
  const ms: number[] = []
  for (let at = 0; at < count; at += 1) ms.push(await once(at))
  return { what, ms: ms.toSorted((a, b) => a - b) }
}

export function delaysTable(times: readonly Delays[]): string {
  const rows = times.map(({ what, ms }) => {
    const at = (share: number): string =>
      `${(ms[Math.min(ms.length - 1, Math.floor(ms.length * share))] ?? 0).toFixed(0)} ms`
    const isKept = (ms.at(-1) ?? 0) <= PROMISE_MS
    return [what, String(ms.length), at(0.5), at(0.99), at(1), isKept ? 'kept' : 'short']
  })
  const head = ['in the other process', 'times', 'median', '99 of 100', 'most', 'within 1 s']
  return plainTable([head, ...rows])
}
