/** The state of a connection whose statement fails. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectDatabase, unnamed } from '../../../src/platform/database/connect.ts'
import { statement } from '../../support/statement.ts'
import { defer } from '../../support/cleanup.ts'
import { cloneDatabase } from '../../support/database.ts'

const backend = statement('test.backend', 'SELECT pg_backend_pid() AS pid')
const twice = statement('test.twice', `INSERT INTO installation VALUES ('twice', '')`)
const killed = statement('test.killed', 'SELECT pg_terminate_backend(pg_backend_pid())')

test('a connection outlives a statement that the server refuses, and not its own end', async (t) => {
  const database = connectDatabase({
    connection: await cloneDatabase(t),
    poolSize: 1,
    prepared: true,
    statementTimeoutMs: 20_000,
    acquireTimeoutMs: 20_000,
  })
  defer(t, () => database.close())
  const [before] = await database.query<{ pid: number }>(backend)
  await database.query(twice)
  await assert.rejects(database.query(twice), { code: '23505' })
  assert.deepEqual(await database.query(backend), [before])
  await assert.rejects(database.query(killed), { code: 'unavailable' })
  const [after] = await database.query<{ pid: number }>(backend)
  assert.notEqual(after?.pid, before?.pid)
})

// A sequence counts the tries: unlike a row, it is not rolled back.
const stumbling = `
  CREATE SEQUENCE tries;
  CREATE FUNCTION stumble(code text, times bigint) RETURNS bigint LANGUAGE plpgsql AS $$
  BEGIN
    IF nextval('tries') <= times THEN RAISE EXCEPTION USING ERRCODE = code; END IF;
    RETURN currval('tries');
  END $$`

for (const code of ['40P01', '40001']) {
  test(`a statement that is rolled back with ${code} is tried again, three times at most`, async (t) => {
    const database = connectDatabase({
      connection: await cloneDatabase(t),
      poolSize: 1,
      prepared: true,
      statementTimeoutMs: 20_000,
      acquireTimeoutMs: 20_000,
    })
    defer(t, () => database.close())
    await database.query(unnamed(stumbling))
    const stumble = statement('test.stumble', 'SELECT stumble($1, $2) AS tries')
    assert.deepEqual(await database.query(stumble, [code, 2]), [{ tries: 3 }])
    await assert.rejects(database.query(stumble, [code, 100]), { code })
    assert.deepEqual(await database.query(unnamed(`SELECT nextval('tries') AS tries`)), [
      { tries: 7 },
    ])
  })
}
