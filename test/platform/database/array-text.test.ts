/** Arrays arrive in Postgres as they were, whatever is in them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import pg from 'pg'
import { arrayText, withArrayText } from '../../../src/platform/database/query.ts'
import { defer } from '../../support/cleanup.ts'
import { cloneDatabase } from '../../support/database.ts'

test('every array of texts, numbers and booleans comes back as it was', async (t) => {
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
  })
  await fc.assert(
    fc.asyncProperty(arrays, async ({ texts, numbers, booleans }) => {
      const { rows } = await client.query(
        'SELECT $1::text[] AS texts, $2::float8[] AS numbers, $3::bool[] AS booleans',
        withArrayText([texts, numbers, booleans]),
      )
      assert.deepEqual(rows, [{ texts, numbers, booleans }])
    }),
    { numRuns: 60 },
  )
})

test('what is no array of such values is left to the driver', () => {
  const values = [[Buffer.of(1)], [['a']], [{}], 'a', null, undefined, 1]
  assert.deepEqual(withArrayText(values), values)
  assert.equal(arrayText([]), '{}')
})
