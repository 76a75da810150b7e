/**
 * Devices that reconnect at once: `npm run bench -- reconnects`. All are connected when the service
 * is killed; it restarts with empty caches, and each device reconnects after a random delay of up
 * to three seconds, repeatedly until it succeeds. Meanwhile the API is used. Once with sessions
 * that end with the service, once with sessions that it stores and reads again.
 */
import { Client } from 'pg'
import type { ReconnectProgram } from './programs/reconnect-load.ts'
import type { OneByOneProgram } from './programs/one-by-one.ts'
import { requireFiles } from './idle.ts'
import { grouped, plainTable } from './support/plain-table.ts'
import { parentOf, processorSeconds, treeSeconds } from './support/processes.ts'
import { getRequest } from './support/requests.ts'
import type { SeededDatabase, Fixture } from './support/environment.ts'
import type { Worker } from './support/worker.ts'

export interface ReconnectResult {
  devices: number
  /** Whether their sessions are stored, and outlast the service. */
  isStored: boolean
  /** Seconds from the broker's first moment until all are back. */
  seconds: number
  /** Devices that were refused meanwhile, by return code. */
  refused: Record<number, number>
  /** Milliseconds of a read of a device over the API. */
  medianMs: number
  p99Ms: number
  /** Reads of credentials. */
  reads: number
  /** The most connections to the database at once. */
  connections: number
  /** Processor seconds from the broker's first moment on. */
  serviceSeconds: number
  databaseSeconds: number
}

const JITTER_MS = 3_000
const PROBES = 10
/** An idle connection of Postgres reports its counts within ten seconds. */
const STATISTICS_MS = 11_000

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Looks at Postgres from the outside. */
async function openWatch({ connection }: Pick<SeededDatabase, 'connection'>) {
  const client = new Client(connection)
  await client.connect()
  const number = async (text: string): Promise<number> => {
    const { rows } = await client.query<{ n: string }>(text)
    return Number(rows[0]?.n)
  }
  const postmaster = parentOf(await number('SELECT pg_backend_pid() AS n'))
  return {
    // Each credential that is read is one look into the index of secrets.
    reads: () =>
      number(`SELECT idx_scan AS n FROM pg_stat_user_tables
                         WHERE relname = 'device_secrets'`),
    connections: () =>
      number(`SELECT count(*) AS n FROM pg_stat_activity
                               WHERE datname = current_database() AND pid <> pg_backend_pid()`),
    seconds: () => treeSeconds(postmaster),
    close: () => client.end(),
  }
}

const share = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? Number.NaN

/** Reads one device. */
const requestOf = ({ workspace, devices }: SeededDatabase) =>
  getRequest(`/api/v1/workspaces/${workspace.id}/devices/${devices[0]?.id}`, {
    'x-api-key': workspace.platformKey,
  })

type Watch = Awaited<ReturnType<typeof openWatch>>

/** Reads a device again and again until the fleet is back. */
async function readMeanwhile(
  probe: Worker<OneByOneProgram>,
  watch: Watch,
  { port, request, signal }: { port: number; request: string; signal: AbortSignal },
): Promise<Pick<ReconnectResult, 'medianMs' | 'p99Ms' | 'connections'>> {
  const times: number[] = []
  let connections = 0
  while (!signal.aborted) {
    const argument = { port, requests: [request], status: 200, from: 0 }
    times.push(...(await probe.call('time', { ...argument, count: PROBES })))
    connections = Math.max(connections, await watch.connections())
  }
  return { medianMs: share(times, 0.5), p99Ms: share(times, 0.99), connections }
}

export async function measureReconnects(
  fixture: Fixture,
  devices: number,
  isStored: boolean,
): Promise<ReconnectResult> {
  requireFiles(devices)
  const durable = { MOORING_MQTT_DURABLE: isStored ? 'all' : 'off' }
  const database = await fixture.newDatabase(devices)
  const watch = await openWatch(database)
  const fleet = fixture.start<ReconnectProgram>('bench/programs/reconnect-load.ts')
  const probe = fixture.start<OneByOneProgram>('bench/programs/one-by-one.ts')
  try {
    const before = await fixture.startService(database, durable)
    const { mqtt: port } = before.ports
    await fleet.call('load', { devices: database.devices, keeps: isStored })
    await fleet.call('gather', { port, jitterMs: JITTER_MS })
    await before.settle()
    before.kill()
    await fleet.call('lost', undefined)
    await wait(STATISTICS_MS)
    const readsBefore = await watch.reads()
    const gathering = fleet.call('gather', { port, jitterMs: JITTER_MS })
    const environment = { ...durable, MOORING_MQTT_PORT: String(port) }
    const after = await fixture.startService(database, environment)
    const [started, databaseBefore] = [performance.now(), watch.seconds()]
    const serviceBefore = processorSeconds(after.pid)
    const isOver = new AbortController()
    const asked = { port: after.ports.http, request: requestOf(database), signal: isOver.signal }
    const reading = readMeanwhile(probe, watch, asked)
    const { refused } = await gathering.finally(() => isOver.abort())
    const seconds = (performance.now() - started) / 1_000
    const serviceSeconds = processorSeconds(after.pid) - serviceBefore
    const databaseSeconds = watch.seconds() - databaseBefore
    const read = await reading
    await wait(STATISTICS_MS)
    const reads = (await watch.reads()) - readsBefore
    return { devices, isStored, seconds, refused, ...read, reads, serviceSeconds, databaseSeconds }
  } finally {
    await watch.close()
  }
}

const AIM_SECONDS = 8

/** A column for each of them. */
export function reconnectTable(results: readonly ReconnectResult[]): string {
  const row = (what: string, show: (result: ReconnectResult) => string): string[] => [
    what,
    ...results.map(show),
  ]
  const refusals = ({ refused }: ReconnectResult): string[] =>
    Object.entries(refused).map(([code, count]) => `${count} with code ${code}`)
  return plainTable([
    row('', ({ isStored }) => (isStored ? 'sessions are stored' : 'sessions in memory')),
    row('devices', ({ devices }) => grouped(devices)),
    row(
      'until all are back',
      ({ seconds }) =>
        `${seconds.toFixed(1)} s (at most ${AIM_SECONDS}: ${seconds <= AIM_SECONDS ? 'kept' : 'above'})`,
    ),
    row('refused', (result) => refusals(result).join(', ') || 'none'),
    row('the API meanwhile, at p50', ({ medianMs }) => `${medianMs.toFixed(1)} ms`),
    row('the API meanwhile, at p99', ({ p99Ms }) => `${p99Ms.toFixed(0)} ms`),
    row('reads of credentials, for each device', ({ reads, devices }) =>
      (reads / devices).toFixed(2),
    ),
    row('connections to the database at most', ({ connections }) => String(connections)),
    row('processor time of the service', ({ serviceSeconds }) => `${serviceSeconds.toFixed(1)} s`),
    row(
      'processor time of the database',
      ({ databaseSeconds }) => `${databaseSeconds.toFixed(1)} s`,
    ),
  ])
}
