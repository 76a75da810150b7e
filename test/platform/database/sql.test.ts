/** Named parameters become those of Postgres once, when a module is loaded. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Statement } from '../../../src/platform/database/connect.ts'
import Type from 'typebox'
import { type Statements, sql, stored } from '../../../src/platform/database/sql.ts'
import { withDefault } from '../../../src/platform/lib/stored-json.ts'

/** Records what would be sent. */
function recorded() {
  const sent: { statement: Statement; values: readonly unknown[] }[] = []
  return {
    sent,
    db: {
      async query<Row>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
        sent.push({ statement, values })
        return []
      },
    },
  }
}

/** A statement of this test, which the generated types do not contain. */
const untyped = sql as unknown as (
  name: string,
  adapt?: (source: string) => string,
) => (
  parts: TemplateStringsArray,
  ...values: readonly string[]
) => {
  text: string
  source: string
  nullable: ReadonlySet<string>
  declared: ReadonlyMap<string, boolean>
  rows(on: unknown, params?: object): Promise<unknown[]>
  one(on: unknown, params?: object): Promise<unknown>
}

test('a parameter has one number, however often it is named, and any order of values', async () => {
  const { db, sent } = recorded()
  const query = untyped(
    'test.named',
  )`UPDATE t SET a = $a?, b = $bee::text[] WHERE id = $id AND c IS DISTINCT FROM $a`
  await query.rows(db, { id: 3, bee: ['x'], a: null })
  assert.equal(
    sent[0]?.statement.text,
    'UPDATE t SET a = $1, b = $2::text[] WHERE id = $3 AND c IS DISTINCT FROM $1',
  )
  assert.deepEqual(sent[0]?.values, [null, ['x'], 3])
  assert.deepEqual([...query.nullable], ['a'])
})

test('marks of columns are not sent, and other text stays as it is', () => {
  const query = untyped(
    'test.marks',
  )`SELECT a AS first!, b AS second?, c <> '$' AS third, d ->> 'x!' FROM t WHERE e != 1`
  assert.equal(
    query.text,
    `SELECT a AS first, b AS second, c <> '$' AS third, d ->> 'x!' FROM t WHERE e != 1`,
  )
  assert.deepEqual(
    [...query.declared],
    [
      ['first', true],
      ['second', false],
    ],
  )
})

test('stored JSON is read with the defaults of its schema, under whichever name', async () => {
  const Plan = Type.Object({ id: Type.String(), seats: withDefault(Type.Integer(), 1) })
  const query = untyped(
    'test.stored',
  )`SELECT ${stored('t.plan', Plan)}, ${stored(`coalesce(t.next, '{}')`, Plan, 'next!')} FROM t`
  assert.equal(query.text, `SELECT t.plan AS plan, coalesce(t.next, '{}') AS next FROM t`)
  assert.deepEqual([...query.declared], [['next', true]])
  const found = { plan: { id: 'a', old: 1 }, next: null }
  const db = { query: async () => [found] }
  const read = [{ plan: { id: 'a', old: 1, seats: 1 }, next: null }]
  assert.deepEqual(await query.rows(db), read)
})

test('a statement can be composed of the source of another', () => {
  const whole = untyped('test.whole')`SELECT a FROM t WHERE id = $id`
  assert.equal(untyped('test.locked')`${whole.source} FOR UPDATE`.text, `${whole.text} FOR UPDATE`)
})

test('a whole text can be changed, whose ends are not those of the template', () => {
  const query = untyped('test.changed', (text) => `(${text})`)`
    SELECT '\\n' AS a
  `
  assert.equal(query.text, `(SELECT '\\n' AS a)`)
})

test('a second statement of the same name is an error, and so is a missing row', async () => {
  const query = untyped('test.twice')`SELECT 1 AS a`
  assert.throws(() => untyped('test.twice')`SELECT 2 AS a`, /test\.twice/)
  await assert.rejects(query.one(recorded().db), /test\.twice returned no row/)
})

type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

test('types name the columns and parameters of a statement', () => {
  type Count = Statements['device_templates.count_devices']
  const isTyped: [
    IsSame<Count['params'], { workspaceId: string; id: string; limit: number | string }>,
    IsSame<Count['row'], { devices: number }>,
  ] = [true, true]
  assert.ok(isTyped)
})
