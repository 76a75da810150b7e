/** The hash chain of the audit log: every later change of it is found, with its place. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createKeyring } from '../../../../src/platform/access/keyring.ts'
import type { Db } from '../../../../src/platform/database/connect.ts'
import { createChainAppender } from '../../../../src/features/audit/log/chain-appender.ts'
import { verifyChain } from '../../../../src/features/audit/log/audit-log-verification.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import {
  type AuditBench,
  CHAIN,
  entryAt,
  openAuditBench,
  sql,
  unchain,
  undone,
} from '../../../support/audit-chain.ts'

/** Three batches of four entries, and one entry that waits. */
const LENGTH = 12
const BAD = 6

const workspace = newUuid()
const neighbour = newUuid()

const forge = `
  INSERT INTO audit_log (workspace_id, id, actor_kind, action)
  VALUES ($1, '00000000-0000-7000-8000-000000000001', 'user', 'account.updated')`
const FORGED = `'00000000-0000-7000-8000-000000000001'::uuid`

/** The changes that somebody with the database could make, and where they must show. */
const tampering: Record<string, [string[], number | null, string]> = {
  'a deleted entry': [
    [`DELETE FROM audit_log WHERE id = ${entryAt(BAD)} AND workspace_id = $1`],
    BAD,
    'entry_missing',
  ],
  'a deleted first entry': [
    [`DELETE FROM audit_log WHERE id = ${entryAt(1)} AND workspace_id = $1`],
    1,
    'entry_missing',
  ],
  'a deleted last entry': [
    [`DELETE FROM audit_log WHERE id = ${entryAt(LENGTH)} AND workspace_id = $1`],
    LENGTH,
    'entry_missing',
  ],
  'a deleted entry that its batch does not name any more': [
    [
      `DELETE FROM audit_log WHERE id = ${entryAt(BAD)} AND workspace_id = $1`,
      `UPDATE audit_batches SET first_seq = 6, ids = ids[1:1] || ids[3:4],
         hashes = hashes[1:1] || hashes[3:4]
       WHERE workspace_id = $1 AND last_seq = 8`,
    ],
    5,
    'entry_missing',
  ],
  'a batch that claims other positions': [
    [`UPDATE audit_batches SET first_seq = 6 WHERE workspace_id = $1 AND last_seq = 8`],
    5,
    'entry_missing',
  ],
  'a deleted batch': [
    [`DELETE FROM audit_batches WHERE workspace_id = $1 AND last_seq = 8`],
    5,
    'entry_missing',
  ],
  'a deleted last batch with its entries': [
    [
      `DELETE FROM audit_log WHERE id IN (SELECT id FROM ${CHAIN} AS place WHERE seq > 8)`,
      `DELETE FROM audit_batches WHERE workspace_id = $1 AND last_seq = ${LENGTH}`,
    ],
    9,
    'entry_missing',
  ],
  'an entry in the place of another': [
    [
      forge,
      'DELETE FROM audit_queue WHERE workspace_id = $1',
      `UPDATE audit_batches SET ids[2] = ${FORGED} WHERE workspace_id = $1 AND last_seq = 8`,
    ],
    BAD,
    'entry_altered',
  ],
  'two entries that have changed places': [
    [
      `UPDATE audit_batches SET ids = ARRAY[ids[1], ids[3], ids[2], ids[4]]
       WHERE workspace_id = $1 AND last_seq = 8`,
    ],
    BAD,
    'entry_altered',
  ],
  'two entries that have changed places with their hashes': [
    [
      `UPDATE audit_batches SET ids = ARRAY[ids[1], ids[3], ids[2], ids[4]],
         hashes = ARRAY[hashes[1], hashes[3], hashes[2], hashes[4]]
       WHERE workspace_id = $1 AND last_seq = 8`,
    ],
    BAD,
    'entry_altered',
  ],
  'two batches that have changed places': [
    [
      `UPDATE audit_batches SET last_seq = last_seq + 100 WHERE workspace_id = $1 AND last_seq <= 8`,
      `UPDATE audit_batches SET first_seq = 109 - last_seq, last_seq = 112 - last_seq
       WHERE workspace_id = $1 AND last_seq > 100`,
    ],
    1,
    'entry_altered',
  ],
  'an altered hash': [
    [
      `UPDATE audit_batches SET hashes[2] = sha256(hashes[2])
       WHERE workspace_id = $1 AND last_seq = 8`,
    ],
    BAD,
    'entry_altered',
  ],
  'an entry without a hash': [
    [`UPDATE audit_batches SET hashes = hashes[1:1] WHERE workspace_id = $1 AND last_seq = 8`],
    BAD,
    'entry_altered',
  ],
  'a batch that is put in at the end': [
    [
      `INSERT INTO audit_batches SELECT workspace_id, first_seq + 4, last_seq + 4, ids, hashes, least_id, greatest_id
       FROM audit_batches WHERE workspace_id = $1 AND last_seq = ${LENGTH}`,
    ],
    LENGTH + 1,
    'entry_beyond_head',
  ],
  'a batch that is put in between': [
    [
      `INSERT INTO audit_batches SELECT workspace_id, 4, 7, ids, hashes, least_id, greatest_id
       FROM audit_batches WHERE workspace_id = $1 AND last_seq = 8`,
    ],
    4,
    'entry_altered',
  ],
  'an entry that gives itself the place of another': [
    [
      'ALTER TABLE audit_log DISABLE TRIGGER audit_log_kept',
      forge,
      'DELETE FROM audit_queue WHERE workspace_id = $1',
      `UPDATE audit_log SET seq = ${BAD}, hash = (SELECT hash FROM ${CHAIN} p WHERE seq = ${BAD})
       WHERE workspace_id = $1 AND id = ${FORGED}`,
    ],
    BAD,
    'entry_altered',
  ],
  'an entry that is in no batch and waits for none': [
    [forge, `DELETE FROM audit_queue WHERE workspace_id = $1 AND id = ${FORGED}`],
    null,
    'entry_unchained',
  ],
  'an entry that was deleted while it waited': [
    [
      `DELETE FROM audit_log a USING audit_queue q
       WHERE q.workspace_id = $1 AND a.workspace_id = $1 AND a.id = q.id`,
    ],
    null,
    'entry_missing',
  ],
  'a lost head': [[`DELETE FROM audit_chains WHERE workspace_id = $1`], null, 'head_missing'],
  'a head of another chain': [
    [
      `UPDATE audit_chains c SET hash = o.hash, mac = o.mac FROM audit_chains o
       WHERE c.workspace_id = $1 AND o.workspace_id = '${neighbour}'`,
    ],
    null,
    'head_differs',
  ],
  'a head that was moved back with the entries after it': [
    [
      `UPDATE audit_chains c SET seq = 8, hash = p.hash FROM ${CHAIN} p
       WHERE c.workspace_id = $1 AND p.seq = 8`,
      `DELETE FROM audit_log WHERE id IN (SELECT id FROM ${CHAIN} AS place WHERE seq > 8)`,
      `DELETE FROM audit_batches WHERE workspace_id = $1 AND last_seq = ${LENGTH}`,
    ],
    null,
    'head_forged',
  ],
}

suite('the hash chain of the audit log', () => {
  let bench: AuditBench
  const closers: (() => unknown)[] = []
  before(async () => {
    bench = await openAuditBench({ after: (close) => void closers.push(close as () => unknown) })
    await bench.append(neighbour)
    for (let index = 1; index <= LENGTH; index += 1) {
      await bench.append(workspace, { index })
      if (index % 4 === 0) await bench.appender.append()
    }
    await bench.append(workspace)
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
        unsealed: 1,
        first_bad_seq: null,
        reason: null,
        anchor: null,
        next_from_seq: null,
      },
    )
    for (let from = 1; from <= LENGTH; from += 1) {
      const later = await verify(bench.db, from)
      assert.deepEqual(
        [later.valid, later.sealed_from_seq, later.entries_checked, later.head_hash],
        [true, from, LENGTH + 1 - from, result.head_hash],
      )
    }
  })

  test('a long chain is verified in parts, each of which says where the next begins', async () => {
    const parts: unknown[] = []
    let from: number | null = 1
    while (from !== null) {
      const part = await verify(bench.db, from, 5)
      parts.push([part.valid, part.sealed_from_seq, part.sealed_to_seq, part.next_from_seq])
      from = part.next_from_seq
    }
    assert.deepEqual(parts, [
      [true, 1, 5, 6],
      [true, 6, 10, 11],
      [true, 11, LENGTH, null],
    ])
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
    }
    // Columns of entries that an earlier version chained.
    const others = ['seq', 'hash']
    const columns = await sql<{ name: string }>(
      bench.db,
      `SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'audit_log'`,
    )
    const named = [...Object.keys(changes), ...others]
    assert.deepEqual(columns.map(({ name }) => name).sort(), named.sort())
    for (const [column, value] of Object.entries(changes)) {
      await undone(bench.db, async (trx) => {
        await sql(
          trx,
          `UPDATE audit_log SET ${column} = ${value} WHERE workspace_id = $1
           AND id = ${entryAt(BAD)}`,
          [workspace],
        )
        const { valid, first_bad_seq, reason } = await verify(trx)
        const isGone = column === 'workspace_id' || column === 'id'
        assert.deepEqual(
          { valid, first_bad_seq, reason },
          { valid: false, first_bad_seq: BAD, reason: isGone ? 'entry_missing' : 'entry_altered' },
          column,
        )
      })
    }
  })

  for (const [name, [statements, seq, reason]] of Object.entries(tampering)) {
    test(`${name} is found`, async () => {
      await undone(bench.db, async (trx) => {
        for (const statement of statements) {
          await sql(trx, statement, statement.includes('$1') ? [workspace] : [])
        }
        const result = await verify(trx)
        assert.deepEqual([result.valid, result.first_bad_seq, result.reason], [false, seq, reason])
      })
    })
  }

  test('a chain computed again from a changed entry on does not verify without the key', async () => {
    await undone(bench.db, async (trx) => {
      await sql(
        trx,
        `UPDATE audit_log SET action = 'account.created' WHERE workspace_id = $1
         AND id = ${entryAt(5)}`,
        [workspace],
      )
      await unchain(trx, workspace)
      const keyring = createKeyring(Buffer.alloc(32, 7))
      const forger = createChainAppender({ db: trx, keyring, onError: assert.ifError })
      await forger.append()
      assert.equal((await verifyChain({ db: trx, keyring }, workspace)).valid, true)
      const { valid, reason } = await verify(trx)
      assert.deepEqual([valid, reason], [false, 'head_forged'])
    })
  })

  test('a workspace without entries has a valid empty chain', async () => {
    const result = await verifyChain(bench, newUuid())
    assert.deepEqual(
      [result.valid, result.entries_checked, result.sealed_to_seq, result.head_hash],
      [true, 0, null, null],
    )
  })
})
