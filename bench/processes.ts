/**
 * The service as one process and as two, `npm run bench -- processes`: the API under load and the
 * broker at a steady rate, each by itself and both at once. With one process they share an event
 * loop; with two the second one serves the API. Processor time of each says what more cores give.
 */
import { Client } from 'pg'
import type { AcknowledgementProgram, Delays } from './programs/acknowledgement-load.ts'
import type { HttpLoadProgram } from './programs/http-load.ts'
import type { Fixture, SeededDatabase } from './support/environment.ts'
import { grouped, plainTable } from './support/plain-table.ts'
import { processorSeconds, treeSeconds } from './support/processes.ts'
import { getRequest } from './support/requests.ts'
import { startServing } from './support/serving.ts'
import { topicsOf } from './states.ts'

const COUNTS = [1, 2]
const SECONDS = 8
const WARM_SECONDS = 3
const CLIENTS = 16
const PUBLISHERS = 100
const PUBLISHED_PER_SECOND = 500

interface Measured {
  /** Reads of the API per second. */
  rate?: number
  delays?: Delays
  /** Percent of a core: of the process with the broker, and of those that only serve the API. */
  main: number
  others: number
}

export interface ProcessesResult {
  processes: number
  api: Measured
  broker: Measured
  both: Measured
}

const urlOf = ({ connection }: Pick<SeededDatabase, 'connection'>): string => {
  const url = new URL('postgres://localhost')
  url.username = connection.user ?? ''
  url.pathname = `/${connection.database}`
  url.searchParams.set('host', connection.host ?? '')
  url.searchParams.set('port', String(connection.port))
  return url.href
}

async function measureProcesses(fixture: Fixture, processes: number): Promise<ProcessesResult> {
  const database = await fixture.newDatabase()
  const serving = await startServing({
    DATABASE_URL: urlOf(database),
    MOORING_MASTER_KEY: fixture.masterKey.toString('base64'),
    MOORING_PROCESSES: String(processes),
    MOORING_RATE_LIMITS: 'off',
    MOORING_CONSOLE: 'off',
  })
  try {
    const load = fixture.start<HttpLoadProgram>('bench/programs/http-load.ts')
    const fleet = fixture.start<AcknowledgementProgram>('bench/programs/acknowledgement-load.ts')
    const devices = database.devices.slice(0, PUBLISHERS)
    const topics = await readTopics(database)
    await fleet.call('open', { port: serving.ports.mqtt, devices, topics })
    const path = `/api/v1/workspaces/${database.workspace.id}/devices/${devices[0]?.id}`
    const requests = [getRequest(path, { 'x-api-key': database.workspace.platformKey })]
    const api = (seconds: number) => {
      const options = { port: serving.ports.http, clients: CLIENTS, requests, status: 200 }
      return load.call('run', { ...options, seconds })
    }
    const publish = (seconds: number) =>
      fleet.call('run', { perSecond: PUBLISHED_PER_SECOND, seconds })
    const measure = async (asks: boolean, publishes: boolean): Promise<Measured> => {
      const used = () => [treeSeconds(serving.pid), processorSeconds(serving.pid)] as const
      const [allBefore, mainBefore] = used()
      const rate = asks ? api(SECONDS) : undefined
      const delays = publishes ? publish(SECONDS) : undefined
      const result = { ...(rate && { rate: await rate }), ...(delays && { delays: await delays }) }
      const [all, own] = used()
      const main = ((own - mainBefore) / SECONDS) * 100
      return { ...result, main, others: ((all - allBefore) / SECONDS) * 100 - main }
    }
    await Promise.all([api(WARM_SECONDS), publish(WARM_SECONDS)])
    return {
      processes,
      api: await measure(true, false),
      broker: await measure(false, true),
      both: await measure(true, true),
    }
  } finally {
    await serving.stop()
  }
}

async function readTopics(database: SeededDatabase): Promise<string[]> {
  const client = new Client(database.connection)
  await client.connect()
  try {
    return await topicsOf(client, database, 'telemetry')
  } finally {
    await client.end()
  }
}

export async function measureAllProcesses(newFixture: () => Fixture): Promise<ProcessesResult[]> {
  const results: ProcessesResult[] = []
  for (const processes of COUNTS) {
    const fixture = newFixture()
    try {
      results.push(await measureProcesses(fixture, processes))
    } finally {
      await fixture.clear()
    }
  }
  return results
}

const perSecond = ({ rate = 0 }: Measured): string => `${grouped(rate)}/s`

/** A column for each number of processes. */
export function processesTable(results: readonly ProcessesResult[]): string {
  const row = (what: string, show: (result: ProcessesResult) => string): string[] => [
    what,
    ...results.map(show),
  ]
  const messages = `${PUBLISHED_PER_SECOND} messages a second`
  const used = (what: string, of: (result: ProcessesResult) => Measured): string[][] => [
    row(`${what}: process of the broker`, (result) => `${of(result).main.toFixed(0)} %`),
    row(`${what}: the other one`, (result) => `${of(result).others.toFixed(0)} %`),
  ]
  const delays = (what: string, of: (result: ProcessesResult) => Measured): string[][] => [
    row(`${what}, at p50`, (result) => `${of(result).delays?.median.toFixed(1)} ms`),
    row(`${what}, at p99`, (result) => `${of(result).delays?.p99.toFixed(1)} ms`),
  ]
  return plainTable([
    row('', ({ processes }) => (processes === 1 ? 'one process' : `${processes} processes`)),
    row('reads of the API, alone', ({ api }) => perSecond(api)),
    row(`reads of the API, with ${messages}`, ({ both }) => perSecond(both)),
    ...delays(`PUBACK of ${messages}, alone`, ({ broker }) => broker),
    ...delays(`PUBACK of ${messages}, with the reads`, ({ both }) => both),
    ...used('of a core, with the reads', ({ api }) => api),
    ...used('of a core, with the messages', ({ broker }) => broker),
    ...used('of a core, with both', ({ both }) => both),
  ])
}
