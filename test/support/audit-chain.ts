/** A database with an audit log that only the test writes, appends and tampers with. */
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createKeyring, type RenewableKeyring } from '../../src/platform/access/keyring.ts'
import {
  connectDatabase,
  type Database,
  type Db,
  unnamed,
} from '../../src/platform/database/connect.ts'
import { record } from '../../src/platform/record/record.ts'
import {
  type ChainAppender,
  createChainAppender,
} from '../../src/features/audit/log/chain-appender.ts'
import { newUuid } from '../../src/platform/lib/ids.ts'
import { cloneDatabase } from './database.ts'

export interface AuditBench {
  db: Database
  masterKey: Buffer
  keyring: RenewableKeyring
  appender: ChainAppender
  /** The errors that the appender has reported. */
  problems: unknown[]
  appenderOn(db: Db): ChainAppender
  /** The appender of another process. */
  otherAppender(): ChainAppender
  /** Appends one entry in a transaction of its own, or in the given one. */
  append(workspaceId: string, detail?: Record<string, unknown>, db?: Db): Promise<void>
}

export async function openAuditBench(t: Pick<TestContext, 'after'>): Promise<AuditBench> {
  const connection = await cloneDatabase(t)
  const open = (): Database =>
    connectDatabase({
      connection,
      poolSize: 8,
      prepared: true,
      statementTimeoutMs: 30_000,
      acquireTimeoutMs: 30_000,
    })
  const db = open()
  const other = open()
  t.after(() => Promise.all([db.close(), other.close()]))
  const masterKey = randomBytes(32)
  const keyring = createKeyring(masterKey)
  const problems: unknown[] = []
  const appenderOn = (on: Db): ChainAppender =>
    createChainAppender({ db: on, keyring, onError: (error) => void problems.push(error) })
  return {
    db,
    masterKey,
    keyring,
    appender: appenderOn(db),
    problems,
    appenderOn,
    otherAppender: () => appenderOn(other),
    append: (workspaceId, detail = {}, on = db) =>
      record(
        on,
        {
          actor: { kind: 'user', id: 'usr_00000000000000000000000001' },
          requestId: 'req_1',
          address: '192.0.2.1',
        },
        {
          workspaceId,
          action: 'account.updated',
          resource: { kind: 'account', id: `acc_${newUuid()}` },
          detail: { nested: { list: [1, 2.5, 'three', null] }, ...detail },
        },
      ),
  }
}

/** SQL: the places of the chain of workspace `$1`, as batches have them. */
export const CHAIN = `(
  SELECT e.id, e.hash, b.first_seq - 1 + e.n AS seq
  FROM audit_batches b, unnest(b.ids, b.hashes) WITH ORDINALITY AS e (id, hash, n)
  WHERE b.workspace_id = $1)`

/** SQL: the id of the entry in a place of that chain. */
export const entryAt = (seq: number): string =>
  `(SELECT place.id FROM ${CHAIN} AS place WHERE place.seq = ${seq})`

/** Takes a chain apart, so that all of its entries wait to be chained again. */
export async function unchain(db: Db, workspaceId: string): Promise<void> {
  for (const text of [
    'DELETE FROM audit_chains WHERE workspace_id = $1',
    'DELETE FROM audit_batches WHERE workspace_id = $1',
    'DELETE FROM audit_queue WHERE workspace_id = $1',
    `INSERT INTO audit_queue SELECT workspace_id, id, ARRAY[id] FROM audit_log
     WHERE workspace_id = $1`,
  ]) {
    await sql(db, text, [workspaceId])
  }
}

/** Turns all chains into what a version before 0.7 wrote: each entry has its place itself. */
export async function chainAsBefore(db: Db): Promise<void> {
  await sql(db, 'ALTER TABLE audit_log DISABLE TRIGGER audit_log_kept')
  await sql(
    db,
    `UPDATE audit_log a SET seq = b.first_seq - 1 + e.n, hash = e.hash
     FROM audit_batches b, unnest(b.ids, b.hashes) WITH ORDINALITY AS e (id, hash, n)
     WHERE a.workspace_id = b.workspace_id AND a.id = e.id`,
  )
  await sql(db, 'DELETE FROM audit_batches')
}

class Undo extends Error {}

/** Runs `work` in a transaction that is rolled back, so that one test can tamper many times. */
export async function undone(db: Db, work: (trx: Db) => Promise<void>): Promise<void> {
  const undo = new Undo()
  await db
    .transaction(async (trx) => {
      await work(trx)
      throw undo
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error
    })
}

/** Runs SQL that is written in a test. */
export const sql = <Row>(db: Db, text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  db.query<Row>(unnamed(text), values)
