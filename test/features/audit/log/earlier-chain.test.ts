/**
 * A chain that a version before 0.7 wrote, in which each entry has its place and hash itself:
 * whatever is done to it afterwards is found, and where. Since then, batches have them.
 */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Db } from '../../../../src/platform/database/connect.ts'
import { verifyChain } from '../../../../src/features/audit/log/audit-log-verification.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import {
  type AuditBench,
  chainAsBefore,
  openAuditBench,
  sql,
  undone,
} from '../../../support/audit-chain.ts'

const LENGTH = 12
const BAD = 5

const workspace = newUuid()
const neighbour = newUuid()

/** The changes that somebody with the database could make, and where they must show. */
const tampering: Record<string, [string, number | null, string]> = {
  'a deleted entry': [
    `DELETE FROM audit_log WHERE workspace_id = $1 AND seq = 5`,
    5,
    'entry_missing',
  ],
  'a deleted first entry': [
    `DELETE FROM audit_log WHERE workspace_id = $1 AND seq = 1`,
    1,
    'entry_missing',
  ],
  'a deleted last entry': [
    `DELETE FROM audit_log WHERE workspace_id = $1 AND seq = ${LENGTH}`,
    LENGTH,
    'entry_missing',
  ],
  'an entry that is taken out of the chain': [
    `UPDATE audit_log SET seq = NULL, hash = NULL WHERE workspace_id = $1 AND seq = 5`,
    5,
    'entry_missing',
  ],
  'an entry that is put in at the end': [
    `INSERT INTO audit_log (workspace_id, id, actor_kind, action, seq, hash)
     SELECT workspace_id, gen_random_uuid(), actor_kind, action, seq + 1, hash
     FROM audit_log WHERE workspace_id = $1 AND seq = ${LENGTH}`,
    LENGTH + 1,
    'entry_beyond_head',
  ],
  'an entry that is put in between': [
    `WITH moved AS (
       UPDATE audit_log SET seq = seq + 100 WHERE workspace_id = $1 AND seq >= 5 RETURNING 1
     )
     INSERT INTO audit_log (workspace_id, id, actor_kind, action, seq, hash)
     SELECT $1, gen_random_uuid(), 'user', 'account.updated', 5, sha256('x')
     FROM (SELECT count(*) FROM moved) AS all_moved`,
    5,
    'entry_altered',
  ],
  'a lost head': [`DELETE FROM audit_chains WHERE workspace_id = $1`, null, 'head_missing'],
  'a head of another chain': [
    `UPDATE audit_chains c SET hash = o.hash, mac = o.mac FROM audit_chains o
     WHERE c.workspace_id = $1 AND o.workspace_id = '${neighbour}'`,
    null,
    'head_differs',
  ],
  'a head that was moved back with the entries after it': [
    `WITH gone AS (DELETE FROM audit_log WHERE workspace_id = $1 AND seq > 5)
     UPDATE audit_chains c SET seq = 5, hash = a.hash FROM audit_log a
     WHERE c.workspace_id = $1 AND a.workspace_id = $1 AND a.seq = 5`,
    null,
    'head_forged',
  ],
}

suite('a chain of an earlier version', () => {
  let bench: AuditBench
  const closers: (() => unknown)[] = []
  before(async () => {
    bench = await openAuditBench({ after: (close) => void closers.push(close as () => unknown) })
    for (let index = 0; index < LENGTH; index += 1) await bench.append(workspace, { index })
    await bench.append(neighbour)
    await bench.appender.append()
    await chainAsBefore(bench.db)
  })
  after(async () => {
    for (const close of closers.toReversed()) await close()
  })
  const verify = (db: Db, from?: number, max?: number) =>
    verifyChain({ db, keyring: bench.keyring }, workspace, { from, ...(max && { max }) })

  test('an untouched chain verifies, from its beginning or from any entry', async () => {
    const result = await verify(bench.db)
    assert.deepEqual(
      { ...result, head_hash: null },
      {
        valid: true,
        pruned_to_seq: null,
        sealed_from_seq: 1,
        sealed_to_seq: LENGTH,
        entries_checked: LENGTH,
        head_hash: null,
        unsealed: 0,
        first_bad_seq: null,
        reason: null,
        anchor: null,
        next_from_seq: null,
      },
    )
    const later = await verify(bench.db, 9)
    assert.deepEqual(
      [later.valid, later.sealed_from_seq, later.entries_checked, later.head_hash],
      [true, 9, LENGTH - 8, result.head_hash],
    )
  })

  test('the chain continues in batches, and verifies from any entry', async () => {
    await undone(bench.db, async (trx) => {
      for (const index of [1, 2]) await bench.append(workspace, { index }, trx)
      const appender = bench.appenderOn(trx)
      await appender.append()
      for (const from of [1, LENGTH, LENGTH + 1, LENGTH + 2]) {
        const result = await verify(trx, from)
        assert.deepEqual(
          [result.valid, result.sealed_to_seq, result.entries_checked],
          [true, LENGTH + 2, LENGTH + 3 - from],
        )
      }
      await sql(trx, `DELETE FROM audit_log WHERE workspace_id = $1 AND seq = ${LENGTH}`, [
        workspace,
      ])
      const { first_bad_seq, reason } = await verify(trx)
      assert.deepEqual([first_bad_seq, reason], [LENGTH, 'entry_missing'])
    })
  })

  test('an altered column of an entry is found, whichever it is', async () => {
    const changes: Record<string, string> = {
      workspace_id: `'${neighbour}'`,
      id: `'${newUuid()}'`,
      occurred_at: `occurred_at + interval '1 millisecond'`,
      actor_kind: `'device'`,
      actor_id: 'NULL',
      action: `'account.created'`,
      resource_kind: 'NULL',
      resource_id: `resource_id || 'x'`,
      request_id: `'req_2'`,
      address: `'192.0.2.2'`,
      detail: `jsonb_set(detail, '{nested,list,1}', '2.6')`,
      seq: '1000',
      hash: `sha256(hash)`,
    }
    const columns = await sql<{ name: string }>(
      bench.db,
      `SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'audit_log'`,
    )
    assert.deepEqual(columns.map(({ name }) => name).sort(), Object.keys(changes).sort())
    for (const [column, value] of Object.entries(changes)) {
      await undone(bench.db, async (trx) => {
        await sql(
          trx,
          `UPDATE audit_log SET ${column} = ${value} WHERE workspace_id = $1 AND seq = $2`,
          [workspace, BAD],
        )
        const { valid, first_bad_seq, reason } = await verify(trx)
        const isGone = column === 'workspace_id' || column === 'seq'
        assert.deepEqual(
          { valid, first_bad_seq, reason },
          { valid: false, first_bad_seq: BAD, reason: isGone ? 'entry_missing' : 'entry_altered' },
          column,
        )
      })
    }
  })

  for (const [name, [statement, seq, reason]] of Object.entries(tampering)) {
    test(`${name} is found`, async () => {
      await undone(bench.db, async (trx) => {
        await sql(trx, statement, [workspace])
        const result = await verify(trx)
        assert.deepEqual([result.valid, result.first_bad_seq, result.reason], [false, seq, reason])
      })
    })
  }

  test('two entries that have changed places are found at the first of them', async () => {
    await undone(bench.db, async (trx) => {
      for (const [from, to] of [
        [4, 900],
        [7, 4],
        [900, 7],
      ]) {
        await sql(trx, 'UPDATE audit_log SET seq = $3 WHERE workspace_id = $1 AND seq = $2', [
          workspace,
          from,
          to,
        ])
      }
      const { first_bad_seq, reason } = await verify(trx)
      assert.deepEqual([first_bad_seq, reason], [4, 'entry_altered'])
    })
  })
})
