/**
 * How soon a published state can be read: `npm run bench -- states`. Every device of a fleet
 * publishes its state once a second, over plain sockets in another process. The database is asked
 * again and again for some of them; a time is counted from before the PUBLISH is sent until the row
 * of that state is read, as any process of the service would.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { ReconnectProgram } from './programs/reconnect-load.ts'
import { requireFiles } from './idle.ts'
import type { Fixture, SeededDatabase } from './support/environment.ts'
import { kept, type Line } from './support/measured-lines.ts'
import { grouped } from './support/plain-table.ts'
import { processorSeconds } from './support/processes.ts'

const SECONDS = 20
/** The first states find no row, and are no part of the result. */
const SKIPPED_MS = 3_000
const PROBES = 100
const POLL_MS = 2
const AIM_MS = 100

interface Times {
  /** In ascending order. */
  ms: number[]
  /** States of the probes that were published meanwhile. */
  published: number
}

/** The topics of this name of all devices, in their order. */
export async function topicsOf(
  client: Client,
  { devices }: SeededDatabase,
  name: string,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string; topic: string }>(
    `SELECT d.id, w.slug || '/' || d.device_key || '/' || $1 AS topic
     FROM devices d JOIN workspaces w ON w.id = d.workspace_id`,
    [name],
  )
  const topics = new Map(rows.map(({ id, topic }) => [id, topic]))
  return devices.map(({ uuid }) => topics.get(uuid) ?? '')
}

async function watch(client: Client, probes: string[], signal: AbortSignal): Promise<Times> {
  const seen = new Map<string, number>()
  const ms: number[] = []
  const from = Date.now() + SKIPPED_MS
  while (!signal.aborted) {
    const { rows } = await client.query<{ id: string; at: number }>({
      name: 'states',
      text: `SELECT device_id AS id, (state ->> 'at')::float8 AS at FROM device_states
             WHERE device_id = ANY ($1::uuid[])`,
      values: [probes],
    })
    const now = Date.now()
    for (const { id, at } of rows) {
      if (seen.get(id) === at) continue
      seen.set(id, at)
      if (at >= from) ms.push(now - at)
    }
    await sleep(POLL_MS)
  }
  const published = probes.length * Math.round((Date.now() - from) / 1_000)
  return { ms: ms.toSorted((a, b) => a - b), published }
}

/**
 * One of each hundredth of the fleet, at random: which hundredth of a second a device publishes in
 * follows from its place, and those that are watched must be spread over all of them.
 */
function probesOf({ devices }: SeededDatabase): string[] {
  const every = Math.max(1, Math.floor(devices.length / PROBES))
  const chosen = Array.from({ length: PROBES }, (_, at) => {
    return devices[at * every + Math.floor(Math.random() * every)]
  })
  return chosen.flatMap((device) => device?.uuid ?? [])
}

export async function measureStates(fixture: Fixture, devices: number): Promise<Line[]> {
  requireFiles(devices)
  const database = await fixture.newDatabase(devices)
  const service = await fixture.startService(database)
  const fleet = fixture.start<ReconnectProgram>('bench/programs/reconnect-load.ts')
  await fleet.call('load', { devices: database.devices })
  await fleet.call('gather', { port: service.ports.mqtt, jitterMs: 5_000 })
  await service.settle()
  const client = new Client(database.connection)
  await client.connect()
  try {
    const topics = await topicsOf(client, database, 'state')
    const probes = probesOf(database)
    const isOver = new AbortController()
    const before = processorSeconds(service.pid)
    const watching = watch(client, probes, isOver.signal)
    await fleet.call('publish', { topics, seconds: SECONDS }).finally(() => isOver.abort())
    const share = ((processorSeconds(service.pid) - before) / SECONDS) * 100
    return linesOf(devices, await watching, share)
  } finally {
    await client.end()
  }
}

function linesOf(devices: number, { ms, published }: Times, share: number): Line[] {
  const at = (part: number): number => ms[Math.floor((ms.length - 1) * part)] ?? Number.NaN
  const fleet = `${grouped(devices)} devices, one state a second each`
  return [
    kept(`${fleet}: readable after, at p50`, `${at(0.5)} ms`, '', true),
    kept(`${fleet}: readable after, at p99`, `${at(0.99)} ms`, `${AIM_MS} ms`, at(0.99) <= AIM_MS),
    kept(`${fleet}: readable after, at most`, `${at(1)} ms`, '', true),
    kept('states of the devices that were watched', `${ms.length} (of ${published})`, '', true),
    kept('processor time of the service', `${share.toFixed(0)} % of a core`, '', true),
  ]
}
