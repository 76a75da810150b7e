/**
 * Creates a fleet of any size inside Postgres, without triggers and with indexes built afterwards.
 * Common values are a share of the fleet; rare ones are on `RARE` devices regardless of its size.
 */
import { availableParallelism } from 'node:os'
import pg from 'pg'
import { createKeyring } from '../../src/platform/access/keyring.ts'
import { generateDeviceSecrets } from '../../src/features/mqtt/device-secrets/device-secret.ts'
import { formatId } from '../../src/platform/lib/ids.ts'
import { DAY_MS } from '../../src/platform/lib/time.ts'
import { layBare } from './indexes.ts'
import type { SeededDevice, SeededWorkspace } from './seed.ts'

const RARE = 50
/** Devices whose passwords are known. */
const KNOWN = 1_000
const BATCH = 200_000

export const keyOf = (number: number): string => `K-${String(number).padStart(9, '0')}`

const STEP_MS = 100

// UUIDv7 of a device's number `i`, so that rows come in the order of their ids.
const ID = `(lpad(to_hex($2::bigint + i * ${STEP_MS}), 12, '0') || '7' || substr(md5(i::text), 1, 3)
  || '8' || substr(md5(i::text), 4, 15))::uuid`
const AT = `to_timestamp(($2::bigint + i * ${STEP_MS}) / 1000.0)`
const KEY = `'K-' || lpad(i::text, 9, '0')`
const IS_ACTIVE = `i % 10 < 8 AND i % $5 NOT IN (2, 4)`

const DEVICES = `
  INSERT INTO devices (workspace_id, id, device_key, name, template_id, hardware_id, status, tags,
                       custom_fields, claimed_at, created_at, updated_at)
  SELECT $1::uuid, ${ID}, ${KEY},
         CASE WHEN i % $5 = 1 THEN 'Prototype ' || i WHEN i % 4 = 0 THEN 'Hall sensor' ELSE ${KEY} END,
         CASE WHEN i % $5 = 3 THEN $7::uuid WHEN i % 10 < 9 THEN $6::uuid END,
         'hw-' || i,
         CASE WHEN i % $5 = 2 THEN 'suspended' WHEN i % $5 = 4 THEN 'decommissioned'
              WHEN i % 10 < 8 THEN 'active' ELSE 'registered' END,
         jsonb_build_object('site', 's' || i % 10, 'line', 'l' || i % 1000)
           || CASE WHEN i % $5 = 5 THEN '{"beta": "yes"}'::jsonb ELSE '{}' END,
         CASE WHEN i % $5 = 6 THEN '{"audited": true}'::jsonb
              WHEN i % 5 = 0 THEN jsonb_build_object('battery', i % 100) ELSE '{}' END,
         CASE WHEN i % 3 = 0 THEN ${AT} END, ${AT}, ${AT}
  FROM generate_series($3::bigint, $4::bigint) AS i`
const SECRETS = `
  INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
  SELECT $1::uuid, ${ID}, 'mqtt', 1, sha256(int8send(i)) FROM generate_series($3::bigint, $4::bigint) AS i`
// The last contact of all but a few lies in the hour before the fleet was made.
const PRESENCE = `
  INSERT INTO device_presence (workspace_id, device_id, connected, incarnation, node_id, last_seen_at)
  SELECT $1::uuid, ${ID}, i % 2 = 0, 1, $6::uuid,
         CASE WHEN i % $5 = 7 THEN now() - interval '90 days'
              ELSE to_timestamp($7::bigint / 1000.0) - make_interval(secs => i % 3600) END
  FROM generate_series($3::bigint, $4::bigint) AS i WHERE ${IS_ACTIVE}`
// The rows that a registration would write, without reading each device; a sample is compared.
const LABELS = `
  INSERT INTO device_labels (workspace_id, label, device_id)
  SELECT $1::uuid, label, id
  FROM (SELECT i, ${ID} AS id FROM generate_series($3::bigint, $4::bigint) AS i) AS device,
    LATERAL unnest(ARRAY['t:site=s' || i % 10, 't:line=l' || i % 1000,
      CASE WHEN i % $5 = 5 THEN 't:beta=yes' END,
      CASE WHEN i % $5 = 6 THEN 'c:audited=btrue'
           WHEN i % 5 = 0 THEN 'c:battery=n' || ($6::text[])[i % 100 + 1] END,
      CASE WHEN i % $5 = 1 THEN 'w:prototype' WHEN i % 4 = 0 THEN 'w:hall' END,
      CASE WHEN i % $5 = 1 THEN 'w:' || i WHEN i % 4 = 0 THEN 'w:sensor' END]) AS label
  WHERE label IS NOT NULL`
const NUMBERS = `SELECT array_agg(device_label_number(n) ORDER BY n) AS numbers
  FROM generate_series(0, 99) AS n`
/** Labels that a registration would have written otherwise, among some devices. */
const WRONG_LABELS = `
  WITH sample AS (SELECT * FROM devices WHERE workspace_id = $1 ORDER BY id LIMIT 2000)
  (SELECT d.id, label
   FROM sample d, device_label_texts(d.device_key, d.name, d.tags, d.custom_fields) AS label
   EXCEPT SELECT device_id, label FROM device_labels WHERE workspace_id = $1)
  UNION ALL
  (SELECT device_id, label FROM device_labels
   WHERE workspace_id = $1 AND device_id IN (SELECT id FROM sample)
   EXCEPT SELECT d.id, label
   FROM sample d, device_label_texts(d.device_key, d.name, d.tags, d.custom_fields) AS label)`

export interface Fleet {
  size: number
  workspace: SeededWorkspace
  rareTemplateId: string
  /** In the order of their numbers, evenly over the fleet. */
  known: (SeededDevice & { number: number })[]
  /** Before the first row was written; milliseconds since the epoch. */
  startedAt: number
  /** When the device in the middle was made; milliseconds since the epoch. */
  middle: number
  /** The cursor of the thousandth page of ten. */
  deepCursor: string
  /** Seconds that it took. */
  seconds: number
}

type Say = (line: string) => void

/** Runs statements on as many connections as there are cores. */
async function spread(
  clients: readonly pg.Client[],
  work: readonly ((client: pg.Client) => Promise<unknown>)[],
  say: (done: number) => void,
): Promise<void> {
  let next = 0
  let done = 0
  await Promise.all(
    clients.map(async (client) => {
      while (next < work.length) {
        const mine = work[next] as (typeof work)[number]
        next += 1
        await mine(client)
        done += 1
        say(done)
      }
    }),
  )
}

async function open(connection: pg.PoolConfig): Promise<pg.Client> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  await client.query(`SET synchronous_commit = off`)
  await client.query(`SET maintenance_work_mem = '768MB'`)
  return client
}

// Rows come in the order of the primary keys of all but the last.
const ORDERED = ['devices', 'device_secrets', 'device_presence']
const TABLES = [...ORDERED, 'device_labels']

async function knownDevices(
  client: pg.Client,
  workspace: SeededWorkspace,
  size: number,
  masterKey: Buffer,
) {
  const keyring = createKeyring(masterKey)
  const count = Math.min(KNOWN, size)
  const numbers = Array.from({ length: count }, (_, at) => Math.floor((at * size) / count) + 10)
  // Neither suspended nor decommissioned, and active: numbers are moved to one that is.
  const good = numbers.map((number) => number - (number % 10))
  const { rows } = await client.query<{ id: string; device_key: string }>(
    `SELECT id, device_key FROM devices
     WHERE workspace_id = $1 AND device_key = ANY($2) AND status = 'active' ORDER BY device_key`,
    [workspace.uuid, good.map(keyOf)],
  )
  const devices = rows.map(({ id, device_key }) => {
    const { mqttPassword, mqttHash } = generateDeviceSecrets(keyring)
    const number = Number(device_key.slice(2))
    return { number, uuid: id, id: formatId('dev', id), mqttPassword, mqttHash }
  })
  await client.query(
    `UPDATE device_secrets s SET hash = t.hash
     FROM unnest($2::uuid[], $3::bytea[]) AS t (id, hash)
     WHERE s.workspace_id = $1 AND s.device_id = t.id AND s.kind = 'mqtt'`,
    [workspace.uuid, devices.map(({ uuid }) => uuid), devices.map(({ mqttHash }) => mqttHash)],
  )
  return devices.map(({ mqttHash: _hash, ...device }) => device)
}

/** The rows that those of a fleet reference. */
async function prepare(client: pg.Client, workspaceId: string) {
  const { rows } = await client.query<{ node: string; template: string }>(
    `WITH node AS (
       INSERT INTO nodes (id, beat_at) VALUES (gen_random_uuid(), now() + interval '1 year')
       RETURNING id
     ), template AS (
       INSERT INTO device_templates (workspace_id, id, model_key, name, serial_format)
       VALUES ($1, gen_random_uuid(), 'rare', 'Rare', 'R-%#f') RETURNING id
     )
     SELECT node.id AS node, template.id AS template FROM node, template`,
    [workspaceId],
  )
  return rows[0] as { node: string; template: string }
}

interface Loading {
  workspace: SeededWorkspace
  size: number
  masterKey: Buffer
  say: Say
}

async function load(
  clients: readonly pg.Client[],
  { workspace, size, masterKey, say }: Loading,
): Promise<Omit<Fleet, 'seconds'>> {
  const [first] = clients as [pg.Client]
  const startedAt = Date.now()
  const base = startedAt - size * STEP_MS - DAY_MS
  const { node, template } = await prepare(first, workspace.uuid)
  const { indexes, references } = await layBare(first, TABLES, ORDERED)
  const rare = Math.max(10, Math.floor(size / RARE))
  const ranges = Array.from({ length: Math.ceil(size / BATCH) }, (_, at) => [
    at * BATCH + 1,
    Math.min(size, (at + 1) * BATCH),
  ])
  const fill = (what: string, sql: string, ...more: unknown[]): Promise<void> =>
    spread(
      clients,
      ranges.map((range) => (client) => {
        return client.query(sql, [workspace.uuid, base, ...range, ...more])
      }),
      (done) => {
        if (done % 10 !== 0 && done !== ranges.length) return
        say(`${size}: ${what} ${Math.round((100 * done) / ranges.length)} %`)
      },
    )
  await fill('devices', DEVICES, rare, workspace.templateUuid, template)
  await fill('secrets', SECRETS)
  await fill('presence', PRESENCE, rare, node, startedAt)
  const { rows } = await first.query<{ numbers: string[] }>(NUMBERS)
  await fill('labels', LABELS, rare, rows[0]?.numbers)
  const building = indexes.map((sql) => (client: pg.Client) => client.query(sql))
  await spread(clients, building, (done) => say(`${size}: index ${done} of ${indexes.length}`))
  for (const sql of references) await first.query(sql)
  const wrong = await first.query<{ label: string }>(WRONG_LABELS, [workspace.uuid])
  if (wrong.rows.length > 0) throw new Error(`labels differ: ${wrong.rows[0]?.label}`)
  const known = await knownDevices(first, workspace, size, masterKey)
  const vacuuming = TABLES.map((name) => (client: pg.Client) => {
    return client.query(`VACUUM (ANALYZE) ${name}`)
  })
  await spread(clients, vacuuming, () => {})
  await first.query('ANALYZE')
  const middle = base + Math.floor(size / 2) * STEP_MS
  const rareTemplateId = formatId('tpl', template)
  return { size, workspace, rareTemplateId, known, startedAt, middle, deepCursor: '' }
}

/** Fills an empty workspace with devices 1 to `size`. */
export async function loadFleet(connection: pg.PoolConfig, loading: Loading): Promise<Fleet> {
  const started = performance.now()
  const cores = Math.min(4, availableParallelism())
  const clients = await Promise.all(Array.from({ length: cores }, () => open(connection)))
  try {
    const fleet = await load(clients, loading)
    const seconds = (performance.now() - started) / 1_000
    loading.say(`${loading.size}: loaded in ${Math.round(seconds)} s`)
    return { ...fleet, seconds }
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}
