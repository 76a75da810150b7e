/**
 * How long `mooring partition` takes, how long a request waits for its locks, and the disk that it
 * needs, with devices that have two secrets, presence, a state, a report, two events and two audit
 * entries each.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { PARTITIONABLE, partitionTables } from '../src/platform/database/partitions/convert.ts'
import { insertLabels } from '../test/support/device-rows.ts'
import type { Fixture } from './support/environment.ts'
import { grouped, plainTable } from './support/plain-table.ts'

const WORKSPACES = 100
const PARTITIONS = 16
const PROBE_MS = 20
const MB = 1_000_000

export interface PartitionRun {
  devices: number
  rows: number
  seconds: number
  /** The longest time that a read of one device took, in seconds. */
  waited: number
  /** The size of the database: before, at most, and afterwards, in MB. */
  size: { before: number; max: number; after: number }
  /** Written to the log, in MB. */
  wal: number
}

/** One workspace is there. The parameters of the first two are their numbers. */
const FILL = [
  `INSERT INTO workspaces (id, name, slug)
   SELECT gen_random_uuid(), 'Bench', 'bench-' || i FROM generate_series(2, $1::int) AS i`,
  `INSERT INTO devices (workspace_id, id, device_key, name, status, hardware_id, tags)
   SELECT w.id, gen_random_uuid(), 'K-' || i, 'Sensor ' || i, 'active', 'hw-' || i,
          jsonb_build_object('site', 's' || i % 10, 'line', 'l' || i % 1000)
   FROM workspaces w, generate_series(1, $1::int) AS i`,
  insertLabels(),
  `INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
   SELECT workspace_id, id, kind, 1, sha256((id || kind)::bytea)
   FROM devices, unnest(ARRAY['mqtt', 'http']) AS kind`,
  `INSERT INTO device_presence
     (workspace_id, device_id, connected, incarnation, node_id, last_seen_at)
   SELECT workspace_id, id, true, 1, workspace_id, now() FROM devices`,
  `INSERT INTO device_states (workspace_id, device_id, state, version, reported_at)
   SELECT workspace_id, id, '{"temperature": 21.5, "mode": "auto"}', 1, now() FROM devices`,
  `INSERT INTO device_config_reports (workspace_id, device_id, version, status)
   SELECT workspace_id, id, 1, 'applied' FROM devices`,
  `INSERT INTO events (workspace_id, id, type, subject_id, data)
   SELECT workspace_id, gen_random_uuid(), type, id, jsonb_build_object('device_id', id)
   FROM devices, unnest(ARRAY['device.registered', 'device.connected']) AS type`,
  `INSERT INTO audit_log
     (workspace_id, id, actor_kind, actor_id, action, resource_kind, resource_id)
   SELECT workspace_id, gen_random_uuid(), 'platform_key', 'bench', action, 'device', id::text
   FROM devices, unnest(ARRAY['device.registered', 'device.updated']) AS action`,
]

const numberOf = async (client: pg.Client, sql: string): Promise<number> =>
  (await client.query<{ n: number }>(`SELECT (${sql})::float8 AS n`)).rows[0]?.n ?? 0

const sizeOf = (client: pg.Client): Promise<number> =>
  numberOf(client, 'pg_database_size(current_database()) / 1e6')

async function converted(clients: [pg.Client, pg.Client, pg.Client], devices: number) {
  const [client, reader, watcher] = clients
  const counts = PARTITIONABLE.map((name) => `(SELECT count(*) FROM ${name})`).join(' + ')
  const rows = await numberOf(client, counts)
  const before = await sizeOf(watcher)
  const lsn = `pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')`
  const written = await numberOf(watcher, lsn)
  const end = new AbortController()
  let waited = 0
  let max = 0
  const until = async (step: () => Promise<void>): Promise<void> => {
    while (!end.signal.aborted) {
      await step()
      await sleep(PROBE_MS)
    }
  }
  const watching = Promise.all([
    until(async () => {
      const began = performance.now()
      await reader.query('SELECT 1 FROM devices LIMIT 1')
      waited = Math.max(waited, (performance.now() - began) / 1_000)
    }),
    until(async () => {
      max = Math.max(max, await sizeOf(watcher))
    }),
  ])
  const began = performance.now()
  await partitionTables(client, { tables: PARTITIONABLE, partitions: PARTITIONS, log: () => {} })
  const seconds = (performance.now() - began) / 1_000
  end.abort()
  await watching
  const size = { before, max, after: await sizeOf(watcher) }
  const wal = ((await numberOf(watcher, lsn)) - written) / MB
  return { devices, rows, seconds, waited, size, wal }
}

export async function measurePartition(fixture: Fixture, devices: number): Promise<PartitionRun> {
  const { connection } = await fixture.newDatabase(0)
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client(connection)
    await client.connect()
    return client
  }
  const clients: [pg.Client, pg.Client, pg.Client] = [await open(), await open(), await open()]
  try {
    const numbers = [WORKSPACES, Math.ceil(devices / WORKSPACES)]
    for (const [at, sql] of FILL.entries()) await clients[0].query(sql, numbers.slice(at, at + 1))
    await clients[0].query('VACUUM ANALYZE')
    return await converted(clients, devices)
  } finally {
    for (const client of clients) await client.end()
  }
}

export function partitionTable(runs: readonly PartitionRun[]): string {
  const headings = [
    'devices',
    'rows of these tables',
    'seconds',
    'a read waited at most, s',
    'database before, at most, after, MB',
    'log, MB',
  ]
  const lines = runs.map(({ devices, rows, seconds, waited, size, wal }) => [
    grouped(devices),
    grouped(rows),
    seconds.toFixed(1),
    waited.toFixed(1),
    [size.before, size.max, size.after].map(Math.round).map(grouped).join(', '),
    grouped(Math.round(wal)),
  ])
  return plainTable([headings, ...lines])
}
