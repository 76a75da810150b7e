/** Entries and events that are old enough go, and what is left can still be verified. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { deleteOldEvents } from '../../../../src/platform/record/retention.ts'
import { deleteOldAuditEntries } from '../../../../src/features/audit/log/audit-log-retention.ts'
import { verifyChain } from '../../../../src/features/audit/log/audit-log-verification.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { DAY_MS } from '../../../../src/platform/lib/time.ts'
import {
  type AuditBench,
  CHAIN,
  chainAsBefore,
  entryAt,
  openAuditBench,
  sql,
  undone,
} from '../../../support/audit-chain.ts'

const inDays = (days: number) => ({ now: () => Date.now() + days * DAY_MS })

/** A chain of ten entries: six of long ago, and four of now. */
async function openChain(t: TestContext) {
  const bench = await openAuditBench(t)
  const workspace = newUuid()
  for (let index = 0; index < 6; index += 1) await bench.append(workspace, { index })
  await sql(bench.db, `UPDATE audit_log SET occurred_at = now() - interval '40 days'`)
  for (let index = 6; index < 10; index += 1) await bench.append(workspace, { index })
  await bench.appender.append()
  return { bench, workspace }
}

const pruning = ({ db, keyring }: AuditBench, problems: unknown[] = []) => ({
  db,
  keyring,
  clock: inDays(0),
  onError: (error: unknown) => void problems.push(error),
})

suite('retention', () => {
  test('old entries go; the chain begins after them, says so, and continues', async (t) => {
    const { bench, workspace } = await openChain(t)
    const before = await verifyChain(bench, workspace)
    await Promise.all([1, 2, 3].map(() => deleteOldAuditEntries(pruning(bench), 30)))
    const after = await verifyChain(bench, workspace)
    assert.deepEqual(
      [after.valid, after.pruned_to_seq, after.sealed_from_seq, after.entries_checked],
      [true, 6, 7, 4],
    )
    assert.equal(after.head_hash, before.head_hash)
    await bench.appender.append()
    const rows = await sql<{ seq: number; action: string; detail: Record<string, unknown> }>(
      bench.db,
      `SELECT place.seq, action, detail FROM audit_log a JOIN ${CHAIN} AS place USING (id)
       WHERE workspace_id = $1 ORDER BY place.seq`,
      [workspace],
    )
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      [7, 8, 9, 10, 11],
    )
    const [received] = rows.slice(-1)
    assert.equal(received?.action, 'audit.pruned')
    assert.equal(received?.detail.entries, 6)
    assert.equal(received?.detail.to_seq, 6)
    assert.equal((await verifyChain(bench, workspace, { from: 3 })).sealed_from_seq, 7)
    const hash = received?.detail.hash as string
    const anchors = [3, 6, 8].map((seq) => verifyChain(bench, workspace, { anchor: { seq, hash } }))
    assert.deepEqual(
      (await Promise.all(anchors)).map(({ anchor }) => anchor),
      ['pruned', 'contained', 'missing'],
    )
  })

  test('entries that an earlier version chained go as well', async (t) => {
    const { bench, workspace } = await openChain(t)
    await chainAsBefore(bench.db)
    await bench.append(workspace)
    await bench.appender.append()
    await deleteOldAuditEntries(pruning(bench), 30)
    const after = await verifyChain(bench, workspace)
    assert.deepEqual(
      [after.valid, after.pruned_to_seq, after.sealed_from_seq, after.entries_checked],
      [true, 6, 7, 5],
    )
  })

  test('without a number of days everything is kept', async (t) => {
    const { bench, workspace } = await openChain(t)
    await deleteOldAuditEntries(pruning(bench), 0)
    assert.equal((await verifyChain(bench, workspace)).entries_checked, 10)
  })

  test('all of a chain can go, and it continues from its head', async (t) => {
    const { bench, workspace } = await openChain(t)
    await deleteOldAuditEntries({ ...pruning(bench), clock: inDays(60) }, 30)
    const empty = await verifyChain(bench, workspace)
    assert.deepEqual([empty.valid, empty.pruned_to_seq, empty.entries_checked], [true, 10, 0])
    await bench.appender.append()
    const after = await verifyChain(bench, workspace)
    assert.deepEqual([after.valid, after.sealed_from_seq, after.sealed_to_seq], [true, 11, 11])
  })

  test('changed old entries are kept, and an error is logged', async (t) => {
    const { bench, workspace } = await openChain(t)
    await sql(
      bench.db,
      `UPDATE audit_log SET action = 'account.created' WHERE id = ${entryAt(4)}`,
      [workspace],
    )
    const problems: unknown[] = []
    await deleteOldAuditEntries(pruning(bench, problems), 30)
    assert.equal(problems.length, 1)
    const { reason, first_bad_seq, pruned_to_seq } = await verifyChain(bench, workspace)
    assert.deepEqual([reason, first_bad_seq, pruned_to_seq], ['entry_altered', 4, null])
  })

  test('a deletion of old entries without the key is detected', async (t) => {
    const { bench, workspace } = await openChain(t)
    await undone(bench.db, async (trx) => {
      await sql(
        trx,
        `UPDATE audit_chains c SET pruned_seq = 6, pruned_hash = place.hash, pruned_mac = c.mac
         FROM ${CHAIN} AS place WHERE c.workspace_id = $1 AND place.seq = 6`,
        [workspace],
      )
      await sql(
        trx,
        `DELETE FROM audit_log WHERE id IN (SELECT id FROM ${CHAIN} AS place WHERE seq <= 6)`,
        [workspace],
      )
      const result = await verifyChain({ db: trx, keyring: bench.keyring }, workspace)
      assert.equal(result.valid, false)
    })
  })

  test('old events go from every workspace, and new ones stay', async (t) => {
    const { db } = await openAuditBench(t)
    const workspaces = [newUuid(), newUuid(), newUuid()]
    const insert = `INSERT INTO events (workspace_id, id, type, data)
      SELECT $1, $2::uuid, 'device.updated', '{}'`
    for (const workspace of workspaces.slice(0, 2)) {
      await sql(db, insert, [workspace, '00000000-0001-7000-8000-000000000001'])
    }
    for (const workspace of workspaces.slice(1)) await sql(db, insert, [workspace, newUuid()])
    const left = () =>
      sql<{ workspace_id: string }>(db, 'SELECT workspace_id FROM events ORDER BY workspace_id')
    await deleteOldEvents({ db, clock: inDays(0) }, 0)
    assert.equal((await left()).length, 4)
    await deleteOldEvents({ db, clock: inDays(0) }, 90)
    assert.deepEqual(
      (await left()).map(({ workspace_id }) => workspace_id),
      workspaces.slice(1),
    )
    await deleteOldEvents({ db, clock: inDays(91) }, 90)
    assert.deepEqual(await left(), [])
  })
})
