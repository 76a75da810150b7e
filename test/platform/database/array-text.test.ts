/** Arrays arrive in Postgres as they were, whatever is in them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import pg from 'pg'
import { arrayText, withArrayText } from '../../../src/platform/database/query.ts'
import { defer } from '../../support/cleanup.ts'
import { cloneDatabase } from '../../support/database.ts'

test('every array of texts, numbers, booleans and bytes comes back as it was', async (t) => {
  const client = new pg.Client(await cloneDatabase(t))
  await client.connect()
  defer(t, () => client.end())
  const text = fc.oneof(
    fc.constantFrom('', 'NULL', 'null', '{}', '"', '\\', '\\"', ',', ' a ', '{"a":"\\n"}', 'ä\n'),
    fc.string({ unit: 'grapheme' }).map((each) => each.replaceAll('\0', '')),
  )
  const arrays = fc.record({
    texts: fc.array(fc.option(text)),
    numbers: fc.array(fc.option(fc.double({ noNaN: true }).map((each) => each + 0))),
    booleans: fc.array(fc.option(fc.boolean())),
    bytes: fc.array(fc.option(fc.uint8Array().map((each) => Buffer.from(each)))),
  })
  await fc.assert(
    fc.asyncProperty(arrays, async ({ texts, numbers, booleans, bytes }) => {
      const { rows } = await client.query(
        'SELECT $1::text[] AS texts, $2::float8[] AS numbers, $3::bool[] AS booleans, $4::bytea[] AS bytes',
        withArrayText([texts, numbers, booleans, bytes]),
      )
      assert.deepEqual(rows, [{ texts, numbers, booleans, bytes }])
    }),
    { numRuns: 60 },
  )
})

test('any other value is left to the driver', () => {
  const values = [[new Date(0)], [['a']], [{}], 'a', null, undefined, 1]
  assert.deepEqual(withArrayText(values), values)
  assert.equal(arrayText([]), '{}')
})
