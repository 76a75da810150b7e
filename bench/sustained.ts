/**
 * Registrations for a long time: `npm run bench -- sustained --minutes 10`. Clients register
 * devices without a pause, in one workspace, and the audit chain has to keep up: the waiting
 * entries may not grow from the first half to the second.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { performance } from 'node:perf_hooks'
import { Client } from 'pg'
import type { HttpLoadProgram } from './programs/http-load.ts'
import type { Fixture } from './support/environment.ts'
import { kept, type Line } from './support/measured-lines.ts'
import type { Used } from './support/meter.ts'
import { grouped } from './support/plain-table.ts'
import { NEW_NUMBER, postRequest } from './support/requests.ts'

const CLIENTS = 8
const SAMPLE_MS = 1_000
/** A chain that waits at most so long for its entries keeps up, whatever the rate is. */
const AIM_SECONDS = 5
const WAL_AIM_BYTES = 3_500
const TIMEOUT_SECONDS = 600

interface Sample {
  /** Devices that are registered. */
  devices: number
  /** Entries that wait to be chained. */
  waiting: number
}

const readSample = async (client: Client): Promise<Sample> => {
  const { rows } = await client.query<Sample>({
    name: 'sustained',
    text: `SELECT (SELECT coalesce(sum(seq), 0)::int FROM audit_chains) + q.waiting AS devices, waiting
           FROM (SELECT coalesce(sum(cardinality(ids)), 0)::int AS waiting FROM audit_queue) AS q`,
  })
  return rows[0] ?? { devices: 0, waiting: 0 }
}

/** Samples once a second until the load is over. */
async function watch(client: Client, signal: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = []
  while (!signal.aborted) {
    await sleep(SAMPLE_MS)
    samples.push(await readSample(client))
  }
  return samples
}

/** Seconds until nothing waits to be chained any more. */
async function untilChained(client: Client): Promise<number> {
  const started = performance.now()
  const seconds = (): number => (performance.now() - started) / 1_000
  while ((await readSample(client)).waiting > 0) {
    if (seconds() > TIMEOUT_SECONDS) throw new Error('the audit chain did not catch up')
    await sleep(50)
  }
  return seconds()
}

export async function measureSustained(fixture: Fixture, seconds: number): Promise<Line[]> {
  const database = await fixture.newDatabase()
  const { workspace } = database
  const { ports, settle } = await fixture.startService(database)
  const load = fixture.start<HttpLoadProgram>('bench/programs/http-load.ts')
  const body = { template_id: workspace.templateId, hardware_id: `hw-${NEW_NUMBER}` }
  const headers = { 'service-auth-code': workspace.provisionKey }
  const requests = [postRequest('/api/v1/provision/device', body, headers)]
  await settle()
  const client = new Client(database.connection)
  await client.connect()
  try {
    const isOver = new AbortController()
    const end = await fixture.meter.begin()
    const watching = watch(client, isOver.signal)
    const run = { port: ports.http, clients: CLIENTS, seconds, requests, status: 201 }
    const rate = await load.call('run', run).finally(() => isOver.abort())
    const samples = await watching
    const chained = await untilChained(client)
    return linesOf({ seconds, rate, samples, chained, used: await end() })
  } finally {
    await client.end()
  }
}

interface Measured {
  seconds: number
  /** Devices per second. */
  rate: number
  samples: readonly Sample[]
  /** Seconds until all were chained, after the last one was registered. */
  chained: number
  used: Used
}

const highest = (samples: readonly Sample[]): number =>
  Math.max(0, ...samples.map(({ waiting }) => waiting))

function linesOf({ seconds, rate, samples, chained, used }: Measured): Line[] {
  const half = Math.ceil(samples.length / 2)
  const [first, second] = [highest(samples.slice(0, half)), highest(samples.slice(half))]
  const devices = rate * seconds
  const each = (total: number): string => `${((total * 1_000_000) / devices).toFixed(0)} µs`
  const wal = used.walBytes / devices
  const lag = second / rate
  const waited = `${grouped(second)} (${grouped(first)} in the first half)`
  return [
    kept(`registered by ${CLIENTS} clients in ${seconds} s`, `${rate.toFixed(0)}/s`, '', true),
    kept('entries that waited to be chained, at most', waited, '', true),
    kept(
      'the chain is behind by, at most',
      `${lag.toFixed(1)} s`,
      `${AIM_SECONDS} s`,
      lag <= AIM_SECONDS,
    ),
    kept(
      'all are chained after the last one by',
      `${chained.toFixed(1)} s`,
      `${AIM_SECONDS} s`,
      chained <= AIM_SECONDS,
    ),
    kept(
      'write-ahead log of a device',
      `${wal.toFixed(0)} B`,
      `${WAL_AIM_BYTES} B`,
      wal <= WAL_AIM_BYTES,
    ),
    kept('processor time of the service for a device', each(used.service), '', true),
    kept('processor time of Postgres for a device', each(used.postgres), '', true),
  ]
}
