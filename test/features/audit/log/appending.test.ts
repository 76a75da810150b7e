/**
 * Appending: every committed entry gets one place in its chain, anyone who appends and whenever.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { INSTALLATION } from '../../../../src/platform/record/event.ts'
import { verifyChain } from '../../../../src/features/audit/log/audit-log-verification.ts'
import { canonicalJson } from '../../../../src/platform/lib/canonical-json.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { CHAIN, openAuditBench, sql, undone } from '../../../support/audit-chain.ts'

test('entries of many concurrent transactions are chained once each and verify', async (t) => {
  const bench = await openAuditBench(t)
  const workspaces = [INSTALLATION, ...Array.from({ length: 20 }, () => newUuid())]
  const other = bench.otherAppender()
  const written = new AbortController()
  const appending = [bench.appender, other].map(async (appender) => {
    while (!written.signal.aborted) await appender.append()
  })
  await Promise.all(
    Array.from({ length: 600 }, (_, index) =>
      bench.append(workspaces[index % workspaces.length] as string, { index }),
    ),
  )
  written.abort()
  await Promise.all(appending)
  await Promise.all([bench.appender.append(), other.append()])
  await bench.appender.append()
  let checked = 0
  for (const workspace of workspaces) {
    const result = await verifyChain(bench, workspace)
    assert.deepEqual([result.valid, result.reason, result.unsealed], [true, null, 0])
    checked += result.entries_checked
  }
  assert.equal(checked, 600)
  assert.deepEqual(bench.problems, [])
})

test('an entry that commits late is chained after those that overtook it', async (t) => {
  const bench = await openAuditBench(t)
  const workspace = newUuid()
  await bench.db.transaction(async (trx) => {
    await bench.append(workspace, { late: true }, trx)
    await bench.append(workspace, { late: false })
    await bench.otherAppender().append()
  })
  await bench.appender.append()
  const rows = await sql<{ late: boolean }>(
    bench.db,
    `SELECT detail->'late' AS late FROM audit_log JOIN ${CHAIN} AS place USING (id)
     ORDER BY place.seq`,
    [workspace],
  )
  assert.deepEqual(
    rows.map(({ late }) => late),
    [false, true],
  )
  assert.equal((await verifyChain(bench, workspace)).valid, true)
})

test('a change that is rolled back leaves no entry', async (t) => {
  const bench = await openAuditBench(t)
  const workspace = newUuid()
  await undone(bench.db, (trx) => bench.append(workspace, {}, trx))
  await bench.appender.append()
  const result = await verifyChain(bench, workspace)
  assert.deepEqual([result.valid, result.entries_checked, result.unsealed], [true, 0, 0])
})

test('an interrupted append leaves the chain as it was', async (t) => {
  const bench = await openAuditBench(t)
  const workspace = newUuid()
  await bench.append(workspace)
  await bench.appender.append()
  await bench.append(workspace)
  // A trigger stands in for the connection that is lost after the entries were written.
  await sql(
    bench.db,
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cut off'; END $$`,
  )
  await sql(
    bench.db,
    'CREATE TRIGGER cut BEFORE UPDATE ON audit_chains FOR EACH ROW EXECUTE FUNCTION fail()',
  )
  await bench.appender.append()
  assert.equal(bench.problems.length, 1)
  const between = await verifyChain(bench, workspace)
  assert.deepEqual([between.valid, between.entries_checked, between.unsealed], [true, 1, 1])
  await sql(bench.db, 'DROP TRIGGER cut ON audit_chains')
  await bench.appender.append()
  const result = await verifyChain(bench, workspace)
  assert.deepEqual([result.valid, result.entries_checked, result.unsealed], [true, 2, 0])
})

test('a broken chain does not delay the others, and is reported once', async (t) => {
  const bench = await openAuditBench(t)
  const workspaces = Array.from({ length: 3 }, () => newUuid())
  const [forged, robbed, good] = workspaces as [string, string, string]
  for (const workspace of workspaces) await bench.append(workspace)
  await bench.appender.append()
  await sql(bench.db, `UPDATE audit_chains SET hash = sha256('x') WHERE workspace_id = $1`, [
    forged,
  ])
  for (const workspace of workspaces) await bench.append(workspace)
  await sql(
    bench.db,
    `DELETE FROM audit_log a USING audit_queue q
     WHERE q.workspace_id = $1 AND a.workspace_id = $1 AND a.id = q.id`,
    [robbed],
  )
  await bench.appender.append()
  await bench.appender.append()
  assert.equal((await verifyChain(bench, good)).entries_checked, 2)
  const reasons = [await verifyChain(bench, forged), await verifyChain(bench, robbed)]
  assert.deepEqual(
    reasons.map(({ valid, reason, unsealed }) => [valid, reason, unsealed]),
    [
      [false, 'head_differs', 1],
      [false, 'entry_missing', 1],
    ],
  )
  assert.equal(bench.problems.length, 2)
})

test('entries that one statement wrote in several workspaces are chained in each', async (t) => {
  const bench = await openAuditBench(t)
  const workspaces = [newUuid(), newUuid(), newUuid()]
  await sql(
    bench.db,
    `INSERT INTO audit_log (workspace_id, id, actor_kind, action)
     SELECT w, gen_random_uuid(), 'service', 'device.registered'
     FROM unnest($1::uuid[]) AS w, generate_series(1, 700)`,
    [workspaces],
  )
  const before = await verifyChain(bench, workspaces[0] as string)
  assert.deepEqual([before.valid, before.unsealed], [true, 700])
  await bench.appender.append()
  for (const workspace of workspaces) {
    const result = await verifyChain(bench, workspace)
    assert.deepEqual([result.valid, result.entries_checked, result.unsealed], [true, 700, 0])
  }
})

test('a process of an earlier version that is still running chains nothing twice', async (t) => {
  const bench = await openAuditBench(t)
  const workspace = newUuid()
  await bench.append(workspace)
  await bench.appender.append()
  const asBefore = `UPDATE audit_log SET seq = 2, hash = sha256('x') WHERE seq IS NULL`
  await assert.rejects(sql(bench.db, asBefore), /end processes of earlier builds/)
  assert.equal((await verifyChain(bench, workspace)).valid, true)
})

test('a long log is chained in batches and verifies', async (t) => {
  const bench = await openAuditBench(t)
  const workspace = newUuid()
  await sql(
    bench.db,
    `INSERT INTO audit_log (workspace_id, id, actor_kind, action, detail)
     SELECT $1, gen_random_uuid(), 'service', 'device.registered', jsonb_build_object('n', n)
     FROM generate_series(1, 9500) AS n`,
    [workspace],
  )
  await bench.appender.append()
  const result = await verifyChain(bench, workspace)
  assert.deepEqual([result.valid, result.entries_checked, result.unsealed], [true, 9500, 0])
})

test('the chain can be recomputed from stored entries without the service', async (t) => {
  const bench = await openAuditBench(t)
  const workspace = newUuid()
  await bench.append(workspace, { ä: '“quoted”', z: 1e21, a: { b: [], c: -0.5 } })
  await bench.append(workspace)
  await bench.appender.append()
  const rows = await sql<Record<string, unknown>>(
    bench.db,
    `SELECT a.*, place.seq, place.hash FROM audit_log a JOIN ${CHAIN} AS place USING (id)
     ORDER BY place.seq`,
    [workspace],
  )
  let hash = createHash('sha256').update(formatId('ws', workspace)).digest()
  for (const { hash: stored, id, workspace_id: _workspaceId, occurred_at, ...row } of rows) {
    const entry = {
      ...row,
      id: formatId('aud', id as string),
      workspace_id: formatId('ws', workspace),
      occurred_at: new Date(occurred_at as number).toISOString(),
    }
    hash = createHash('sha256').update(hash).update(canonicalJson(entry)).digest()
    assert.deepEqual(stored, hash)
  }
  assert.equal((await verifyChain(bench, workspace)).head_hash, hash.toString('hex'))
})
