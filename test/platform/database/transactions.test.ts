/** The result of a transaction is true: written or not, whatever else goes wrong. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { connectDatabase, type Database } from '../../../src/platform/database/connect.ts'
import { statement } from '../../support/statement.ts'
import { cloneDatabase } from '../../support/database.ts'
import { defer } from '../../support/cleanup.ts'

const insert = statement(
  'test.insert',
  `INSERT INTO changes (kind, ref) VALUES ('device', gen_random_uuid())`,
)
const count = statement('test.count', 'SELECT count(*) AS n FROM changes')
const fail = statement('test.fail', 'SELECT 1 / 0')

async function open(t: TestContext, onEffectError?: (error: unknown) => void): Promise<Database> {
  const database = connectDatabase({
    connection: await cloneDatabase(t),
    poolSize: 2,
    prepared: true,
    statementTimeoutMs: 30_000,
    acquireTimeoutMs: 30_000,
    ...(onEffectError && { onEffectError }),
  })
  defer(t, () => database.close())
  return database
}

const written = async (db: Database): Promise<number | undefined> =>
  (await db.query<{ n: number }>(count))[0]?.n

test('an effect that fails neither undoes the change nor stops the other effects', async (t) => {
  const failures: unknown[] = []
  const db = await open(t, (error) => failures.push(error))
  const failure = new Error('an effect failed')
  let others = 0
  const response = await db.transaction(async (trx) => {
    await trx.query(insert)
    trx.afterCommit(() => {
      throw failure
    })
    trx.afterCommit(() => void (others += 1))
    return 'written'
  })
  assert.equal(response, 'written')
  assert.equal(await written(db), 1)
  assert.equal(others, 1)
  assert.deepEqual(failures, [failure])
})

test('a transaction that passed over a failed statement is not reported as written', async (t) => {
  const db = await open(t)
  let effects = 0
  const change = db.transaction(async (trx) => {
    await trx.query(insert)
    await trx.query(fail).catch(() => {})
    trx.afterCommit(() => void (effects += 1))
  })
  await assert.rejects(change, /nothing is written/)
  assert.equal(await written(db), 0)
  assert.equal(effects, 0)
})
