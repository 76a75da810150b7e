/** `mooring partition`: the rows that it keeps, that the service works on it, and its refusals. */
import assert from 'node:assert/strict'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, after, before, describe, test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../../src/platform/database/migrate.ts'
import {
  PARTITIONABLE,
  PartitionRefused,
  partitionTables,
  planPartitions,
} from '../../../src/platform/database/partitions/convert.ts'
import { prepareRequestRole } from '../../../src/platform/database/request-role.ts'
import { dumpSchema } from '../../../generate/schema-dump.ts'
import { sqlStatements } from '../../../src/platform/database/sql.ts'
import { as, type TestApp } from '../../support/app.ts'
import { defer } from '../../support/cleanup.ts'
import { cloneDatabase } from '../../support/database.ts'
import { connectDevice } from '../../support/mqtt.ts'
import { ROOT } from '../../support/sources.ts'
import { useApp } from '../../support/suite-app.ts'
import { until } from '../../support/until.ts'
import { execute, isList } from './executed-plans.ts'
import { rowsToFind } from './rows-to-find.ts'

const PARTITIONS = 4
/** Statements with a workspace among their parameters, which may be none or is not the only one. */
const LATER = ['audit_log.overdue', 'moid_devices.by_id', 'moid_devices.page']
/**
 * Frequent statements for rows of many workspaces, which they take from their parameters or from
 * rows of another table: their plans have all partitions, and an execution leaves out all but those
 * of its workspaces. Each is executed for rows of one.
 */
const SPANNING = [
  ...LATER,
  'audit_log.entries',
  'broker_bridges.devices',
  'device_commands.respond',
  'device_commands.take',
  'device_configs.effective',
  'device_configs.report',
  'device_secrets.by_http_hash',
  'live.devices',
  'mqtt_connections.activate',
  'mqtt_connections.presence',
  'mqtt_connections.seen',
  'mqtt_connections.states',
]

const options = { tables: PARTITIONABLE, partitions: PARTITIONS, log: () => {} }

async function open(t: Pick<TestContext, 'after'>, connection: pg.PoolConfig): Promise<pg.Client> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  defer(t, () => client.end())
  return client
}

const register = async ({ call }: TestApp, seed: TestApp['seed']['other'], body = {}) =>
  call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { template_id: seed.template.id, ...body },
  })

/** The rows of all tables; entries of the audit log get their numbers later. */
async function contents(client: pg.Client): Promise<Set<string>> {
  const all = new Set<string>()
  for (const name of PARTITIONABLE) {
    const { rows } = await client.query<{ row: string }>(
      `SELECT (to_jsonb(t) - 'seq' - 'hash')::text AS row FROM ${name} t`,
    )
    for (const { row } of rows) all.add(`${name} ${row}`)
  }
  return all
}

/** The schema without what partitioning adds to it. */
const unpartitioned = async (client: pg.Client): Promise<string[]> =>
  (await dumpSchema(client))
    .split('\n\n')
    .filter((definition) => !/^CREATE TABLE \S+ PARTITION OF /.test(definition))
    .map((definition) =>
      definition.replace(' PARTITION BY HASH (workspace_id)', '').replaceAll(' ON ONLY ', ' ON '),
    )

describe('a database with devices of two workspaces', () => {
  const started = useApp()
  const closers: (() => unknown)[] = []
  let app: TestApp
  let client: pg.Client

  before(async () => {
    app = started()
    client = await open(
      { after: (close) => void closers.push(close as () => unknown) },
      app.connection,
    )
    for (const seed of [app.seed, app.seed.other]) {
      for (let made = 0; made < 3; made += 1) {
        const hardware = `hw-${made}`
        assert.equal((await register(app, seed, { hardware_id: hardware })).status, 201)
      }
    }
    await client.query(`INSERT INTO device_labels (workspace_id, label, device_id)
      SELECT workspace_id, 'kept', id FROM devices`)
  })

  after(async () => {
    for (const close of closers) await close()
  })

  test('keeps every row, constraint, index, trigger, policy and grant', async (t) => {
    const [schema, rows] = [await unpartitioned(client), await contents(client)]
    const grants = `SELECT relname, relacl::text, relowner::regrole::text FROM pg_class
      WHERE relname = ANY ($1) ORDER BY 1`
    const granted = (await client.query(grants, [PARTITIONABLE])).rows
    await partitionTables(client, options)
    // The service has written more meanwhile.
    const now = await contents(client)
    assert.deepEqual(
      [...rows].filter((row) => !now.has(row)),
      [],
    )
    assert.ok(rows.size > 20, `${rows.size} rows`)
    assert.deepEqual(await unpartitioned(client), schema)
    assert.deepEqual((await client.query(grants, [PARTITIONABLE])).rows, granted)
    const again = await partitionTables(client, options)
    assert.deepEqual([again.tables, again.done], [[], [...PARTITIONABLE]], 'a second run')
    await prepareRequestRole(() => open(t, app.connection), app.config.databaseRole)
    const open_ = await client.query(`SELECT relname FROM pg_class c, aclexplode(c.relacl) a
      WHERE c.relispartition AND a.grantee <> c.relowner`)
    assert.deepEqual(
      open_.rows,
      [],
      'nobody but the owner reaches a partition, which has no policy',
    )
  })

  test('works with the service, without a restart', async (t) => {
    const made = await register(app, app.seed, { hardware_id: 'hw-9', device_key: 'nine' })
    assert.equal(made.status, 201, made.text)
    const again = await register(app, app.seed, { hardware_id: 'hw-9' })
    assert.equal(again.body.device_id, made.body.device_id, 'a request that is repeated')
    const taken = await register(app, app.seed, { hardware_id: 'hw-10', device_key: 'nine' })
    assert.deepEqual([taken.status, taken.body.code], [409, 'device_key_taken'])
    const elsewhere = await register(app, app.seed.other, { device_key: 'nine' })
    assert.equal(elsewhere.status, 201, 'another workspace has keys of its own')
    const device = made.body
    const connection = await connectDevice(t, device)
    const topic = `${device.workspace_slug}/${device.device_key}/state`
    await connection.publishAsync(topic, '{"on":true}', { qos: 1 })
    const staff = as.platformKey(app.seed.platformKey)
    const path = `/workspaces/${app.seed.id}`
    await until('its state can be read', async () => {
      const state = await app.call('GET', `${path}/devices/${device.device_id}/state`, {
        as: staff,
      })
      return state.body?.state?.on === true
    })
    const listed = await app.call('GET', `${path}/devices?filter=device_key%20%3D%20nine`, {
      as: staff,
    })
    assert.deepEqual(
      listed.body.items.map(({ id }: { id: string }) => id),
      [device.device_id],
    )
    const foreign = `/workspaces/${app.seed.other.id}/devices/${device.device_id}`
    const refused = await app.call('GET', foreign, {
      as: as.platformKey(app.seed.other.platformKey),
    })
    assert.equal(refused.status, 404)
    const removed = await app.call('DELETE', `${path}/devices/${device.device_id}`, { as: staff })
    assert.equal(removed.status, 204, removed.text)
    const left = await client.query(
      'SELECT FROM device_secrets s WHERE NOT EXISTS (SELECT FROM devices d WHERE d.id = s.device_id)',
    )
    assert.equal(left.rowCount, 0, 'the secrets went with the device')
  })

  test('statements of a workspace read one partition of a table', async () => {
    await client.query(`SET plan_cache_mode = force_generic_plan`)
    const names = new RegExp(`\\b(${PARTITIONABLE.join('|')})\\b`)
    const wide: string[] = []
    let checked = 0
    for (const { name, text, parameters } of sqlStatements.values()) {
      const at = parameters.indexOf('workspaceId')
      if (at < 0 || isList(text, at) || !names.test(text)) continue
      const values = parameters.map((_, index) => (index === at ? `'${app.seed.uuid}'` : 'NULL'))
      await client.query(`PREPARE looked AS ${text}`)
      const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(
        `EXPLAIN (FORMAT JSON) EXECUTE looked (${values.join(', ')})`,
      )
      await client.query('DEALLOCATE looked')
      checked += 1
      const scanned = JSON.stringify(rows[0]?.['QUERY PLAN']).matchAll(
        /"Node Type":"[^"]*Scan"[^{}]*?"Relation Name":"(\w+)_p\d{3}"/g,
      )
      const counts = new Map<string, Set<string>>()
      for (const [all, table = ''] of scanned) {
        const partition = /(\w+_p\d{3})"$/.exec(all)?.[1] ?? ''
        counts.set(table, (counts.get(table) ?? new Set()).add(partition))
      }
      if ([...counts.values()].some(({ size }) => size > 1)) wide.push(name)
    }
    await client.query('RESET plan_cache_mode')
    assert.ok(checked > 40, `${checked} statements`)
    assert.deepEqual(
      wide.filter((name) => !LATER.includes(name)),
      [],
    )
  })

  test('statements that find the workspace first execute on one partition of each table', async () => {
    const values = await rowsToFind(client, app)
    const wrong: string[] = []
    for (const name of SPANNING) {
      const statement = sqlStatements.get(name)
      assert.ok(statement, name)
      const { scanned, leftOut } = await execute(client, statement, values)
      const counts = [...scanned].map(([table, { size }]) => `${table} ${size}`)
      const isNarrow = [...scanned.values()].every(({ size }) => size === 1)
      if (!isNarrow || scanned.size === 0 || leftOut === 0) {
        wrong.push(`${name}: ${counts.join(', ')}; ${leftOut} left out`)
      }
    }
    assert.deepEqual(wrong, [])
    const login = sqlStatements.get('mqtt_credentials.by_devices')
    assert.ok(login)
    const { scanned } = await execute(client, login, values)
    assert.deepEqual(
      Object.fromEntries([...scanned].map(([table, { size }]) => [table, size])),
      { device_acls: 1, devices: PARTITIONS },
      'a CONNECT looks for its device in every partition, and reads what belongs to it in one',
    )
  })

  test('takes later migrations, with indexes that are built without blocking', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'mooring-migrations-'))
    t.after(() => rm(folder, { recursive: true }))
    await cp(join(ROOT, 'migrations'), folder, { recursive: true })
    const next = async (number: number, text: string): Promise<void> => {
      await writeFile(join(folder, `${number}-later.sql`), text)
      await migrate(
        () => open(t, app.connection),
        folder,
        () => {},
      )
    }
    await next(
      9_001,
      `ALTER TABLE devices ADD COLUMN later integer NOT NULL DEFAULT 1;
       ALTER TABLE devices ADD CONSTRAINT later_check CHECK (later > 0) NOT VALID;
       CREATE TABLE device_laters (workspace_id uuid, device_id uuid,
         PRIMARY KEY (workspace_id, device_id),
         FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE);
       ALTER TABLE devices VALIDATE CONSTRAINT later_check;`,
    )
    const concurrent = `-- no-transaction\n-- compatible
      DROP INDEX CONCURRENTLY IF EXISTS devices_later;
      CREATE INDEX CONCURRENTLY devices_later ON devices (workspace_id, later);`
    // The rest of an interrupted run.
    await client.query('CREATE INDEX devices_later_p001 ON devices_p001 (workspace_id, later)')
    await next(9_002, concurrent)
    await next(9_003, concurrent)
    const { rows } = await client.query(`SELECT indisvalid AS valid, (SELECT count(*)::int
      FROM pg_inherits WHERE inhparent = indexrelid) AS parts
      FROM pg_index WHERE indexrelid = 'devices_later'::regclass`)
    assert.deepEqual(rows, [{ valid: true, parts: PARTITIONS }])
    assert.equal((await register(app, app.seed)).status, 201)
  })
})

test('a value that cannot be converted is refused with the reason, and nothing is changed', async (t) => {
  const client = await open(t, await cloneDatabase(t))
  const before = await dumpSchema(client)
  await client.query('CREATE VIEW seen AS SELECT id FROM device_states, devices')
  const tables = ['devices', 'device_secrets', 'audit_counts', 'nothing', 'users']
  const refusal = await partitionTables(client, { ...options, tables }).then(
    () => assert.fail('it was converted'),
    (error: Error) => error,
  )
  assert.ok(refusal instanceof PartitionRefused)
  assert.match(refusal.message, /device_secrets: the unique index device_secrets_http holds across/)
  assert.match(refusal.message, /devices: the view seen reads it/)
  assert.match(refusal.message, /audit_counts: the service is not tested with it/)
  assert.match(refusal.message, /nothing: there is no such table/)
  assert.match(refusal.message, /users: it has no column workspace_id/)
  await client.query('DROP VIEW seen')
  assert.equal(await dumpSchema(client), before)
})

test('a dry run lists the statements, and an interruption leaves all as it was', async (t) => {
  const connection = await cloneDatabase(t)
  const client = await open(t, connection)
  const before = await dumpSchema(client)
  const { statements } = await planPartitions(client, options)
  assert.equal(await dumpSchema(client), before)
  assert.ok(statements.some((text) => text.startsWith('CREATE TABLE "devices_p003" PARTITION OF')))
  const other = await open(t, connection)
  const stopped = partitionTables(client, {
    ...options,
    log: () => {
      throw new Error('interrupted')
    },
  })
  await assert.rejects(stopped, /interrupted/)
  assert.equal(await dumpSchema(other), before)
})
