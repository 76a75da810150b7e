/** Plans that were made on empty tables do not outlive the emptiness. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { connectDatabase } from '../../../src/platform/database/connect.ts'
import { analyzeGrownTables } from '../../../src/platform/database/statistics.ts'
import { defer } from '../../support/cleanup.ts'
import { cloneDatabase } from '../../support/database.ts'

const WORKSPACE = '00000000-0000-7000-8000-000000000001'

// As the check of a foreign key to a device does it. The server itself must not come first.
const EARLY = `
  INSERT INTO workspaces (id, name, slug) VALUES ('${WORKSPACE}', 'Early', 'early');
  ALTER TABLE devices SET (autovacuum_enabled = off);
  SET plan_cache_mode = force_generic_plan;
  PREPARE find AS SELECT 1 FROM devices WHERE workspace_id = $1 AND id = $2;`
const FILL = `
  INSERT INTO devices (workspace_id, id, device_key, name)
  SELECT '${WORKSPACE}', gen_random_uuid(), 'k' || n, 'n' || n FROM generate_series(1, 5000) AS n`

test('a session that planned on an empty table finds a row by its key once there are many', async (t) => {
  const connection = await cloneDatabase(t)
  const db = connectDatabase({
    connection,
    poolSize: 1,
    prepared: true,
    statementTimeoutMs: 30_000,
    acquireTimeoutMs: 30_000,
  })
  defer(t, () => db.close())
  const session = new Client(connection)
  await session.connect()
  defer(t, () => session.end())
  const plan = async (): Promise<string> => {
    const { rows } = await session.query<Record<string, string>>(
      `EXPLAIN (COSTS OFF) EXECUTE find('${WORKSPACE}', '${WORKSPACE}')`,
    )
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }
  await session.query(EARLY)
  const early = await plan()
  // The session keeps that plan, unless a busy server makes it forget.
  await session.query(FILL)
  assert.ok((await analyzeGrownTables(db)).includes('devices'))
  const later = await plan()
  assert.match(later, /Index Cond: .*\bid = \$2/, 'it goes by the id')
  assert.notEqual(later, early, 'and it did not before')
  assert.deepEqual(await analyzeGrownTables(db), [], 'what has not grown is left alone')
})
