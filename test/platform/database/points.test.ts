/** The connection for point reads is one, also after it was lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { pipelined } from '../../../src/platform/database/points.ts'
import { statement } from '../../support/statement.ts'
import { defer } from '../../support/cleanup.ts'
import { cloneDatabase } from '../../support/database.ts'
import { until } from '../../support/until.ts'

const one = statement('test.one', 'SELECT 1 AS one')

test('a read at the moment of a loss does not leave a connection behind', async (t) => {
  const connection = await cloneDatabase(t)
  const watch = new pg.Client(connection)
  await watch.connect()
  defer(t, () => watch.end())
  const others = async (): Promise<number[]> =>
    (
      await watch.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'points'`,
      )
    ).rows.map(({ pid }) => pid)
  let atLoss: Promise<unknown> | undefined
  const points = pipelined(
    { ...connection, application_name: 'points', pipeline: true },
    {
      prepared: true,
      onError: () => void (atLoss ??= points.query(one, [])),
      availability: { requireAvailable: () => {}, noteResponse: () => {} },
    },
  )
  await points.query(one, [])
  const [first] = await others()
  await watch.query('SELECT pg_terminate_backend($1)', [first])
  assert.deepEqual(await until('the loss', () => atLoss), [{ one: 1 }])
  await points.query(one, [])
  // The one that was lost may be on its way out still.
  assert.equal((await others()).filter((pid) => pid !== first).length, 1)
  await points.close()
  await until('the end of every connection', async () => (await others()).length === 0)
})
