/**
 * How long a revocation takes to reach another process: `npm run bench -- revoke`. Two processes
 * share a database. A key or device is used in the second one, so that it is cached there, and
 * revoked through the first one.
 *
 * The limit is one second, the promise of the change feed (docs/decisions/0002-change-feed.md).
 */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connectAsync } from 'mqtt'
import type { RunningService, SeededDatabase, Fixture } from './support/environment.ts'

const PROMISE_MS = 1_000

/** Milliseconds since the request for the revocation was sent, in ascending order. */
export interface RevokeTimes {
  what: string
  ms: number[]
}

const agent = new Agent({ keepAlive: true })

interface Reply {
  status: number
  body: { id: string; key: string }
}

async function call(
  { ports }: RunningService,
  credential: Record<string, string>,
  method: string,
  path: string,
  body?: object,
): Promise<Reply> {
  const headers = { ...credential, ...(body && { 'content-type': 'application/json' }) }
  const options = { host: '127.0.0.1', port: ports.http, path: `/api/v1${path}`, method, headers }
  const sending = request({ ...options, agent })
  sending.end(body && JSON.stringify(body))
  const [response] = await once(sending, 'response')
  const text = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode, body: text === '' ? {} : JSON.parse(text) }
}

function expectStatus({ status, body }: Reply, expected: number): void {
  if (status !== expected) throw new Error(`${status}: ${JSON.stringify(body)}`)
}

interface Pair {
  one: RunningService
  other: RunningService
  database: SeededDatabase
}

async function revokeKey({ one, other, database }: Pair): Promise<number> {
  const { id, platformKey } = database.workspace
  const staff = { 'x-api-key': platformKey }
  const keys = `/workspaces/${id}/api-keys`
  const made = await call(one, staff, 'POST', keys, { key_kind: 'provision' })
  expectStatus(made, 201)
  const factory = { 'service-auth-code': made.body.key }
  const use = (): Promise<Reply> => call(other, factory, 'GET', '/provision/device-templates')
  expectStatus(await use(), 200)
  const begin = performance.now()
  expectStatus(await call(one, staff, 'DELETE', `${keys}/${made.body.id}`), 204)
  while ((await use()).status === 200);
  return performance.now() - begin
}

async function suspendDevice({ one, other, database }: Pair, at: number): Promise<number> {
  const { workspace, devices } = database
  const device = devices[at]
  if (device === undefined) throw new Error('there are too few devices')
  const client = await connectAsync(`mqtt://127.0.0.1:${other.ports.mqtt}`, {
    username: device.id,
    clientId: device.id,
    password: device.mqttPassword,
    reconnectPeriod: 0,
  })
  client.on('error', () => {})
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
  const begin = performance.now()
  const path = `/workspaces/${workspace.id}/devices/${device.id}/suspend`
  expectStatus(await call(one, { 'x-api-key': workspace.platformKey }, 'POST', path), 200)
  await closed
  return performance.now() - begin
}

export async function revoke(fixture: Fixture, count: number): Promise<RevokeTimes[]> {
  const database = await fixture.newDatabase()
  const [one, other] = await Promise.all([
    fixture.startService(database, {}, { isShared: true }),
    fixture.startService(database, {}, { isShared: true }),
  ])
  const pair = { one, other, database }
  const measure = async (what: string, work: (at: number) => Promise<number>) => {
    const ms: number[] = []
    for (let at = 0; at < count; at += 1) ms.push(await work(at))
    return { what, ms: ms.toSorted((a, b) => a - b) }
  }
  return [
    await measure('a revoked key is refused', () => revokeKey(pair)),
    await measure('the session of a suspended device ends', (at) => suspendDevice(pair, at)),
  ]
}

export function revokeTimesTable(times: readonly RevokeTimes[]): string {
  const rows = times.map(({ what, ms }) => {
    const at = (share: number): string =>
      `${(ms[Math.min(ms.length - 1, Math.floor(ms.length * share))] ?? 0).toFixed(0)} ms`
    const isKept = (ms.at(-1) ?? 0) <= PROMISE_MS
    return [what, String(ms.length), at(0.5), at(0.99), at(1), isKept ? 'kept' : 'short']
  })
  const head = ['in the other process', 'times', 'median', '99 of 100', 'most', 'within 1 s']
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
