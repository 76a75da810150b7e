// Where one statement ends and the next begins, in everything that SQL can hide a semicolon in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitStatements } from '../../../src/platform/database/sql-statements.ts'

const texts = (sql: string) => splitStatements(sql).map(({ text }) => text)

test('statements are separated, and empty ones left out', () => {
  assert.deepEqual(texts('SELECT 1;; \n ;SELECT 2'), ['SELECT 1', 'SELECT 2'])
  assert.deepEqual(texts('  -- nothing\n/* at all */ ;'), [])
})

test('lines are counted from the first word of a statement', () => {
  assert.deepEqual(splitStatements('-- x\n\nSELECT\n1;\n/* y\n */ SELECT 2;'), [
    { text: 'SELECT\n1', line: 3 },
    { text: 'SELECT 2', line: 6 },
  ])
})

const wholes = {
  'a string': "SELECT ';', 'it''s; '",
  'a string ending in a backslash': "SELECT '\\' AS x, ';'",
  'an escape string': "SELECT E'\\';', e';\\\\'",
  'a quoted name': 'SELECT 1 AS "a;""b;"',
  'a name that ends in e before a string': "SELECT name 'x\\'",
  'dollar quotes': "SELECT $$a;'$$, $tag$ $$; $other$ ; $tag$",
  'a parameter-like name': 'SELECT a$1$b FROM t WHERE x = $1',
  'a line comment': 'SELECT 1 -- one; two\n + 1',
  'nested comments': 'SELECT 1 /* a; /* b; */ c; */ + 1',
  'a rule with several actions':
    'CREATE RULE r AS ON INSERT TO t DO ALSO (DELETE FROM a; DELETE FROM b)',
  'a function body in SQL':
    'CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 2 END; END',
  'a procedure in a dollar quote':
    'CREATE PROCEDURE p() LANGUAGE plpgsql AS $x$ BEGIN PERFORM 1; END; $x$',
}

for (const [what, sql] of Object.entries(wholes)) {
  test(`${what} is not split`, () => {
    assert.deepEqual(texts(`${sql};\nSELECT 'next'`), [sql, "SELECT 'next'"])
  })
}

test('BEGIN and END outside a function are statements like others', () => {
  assert.deepEqual(texts('BEGIN; SELECT 1; END; SELECT 2'), [
    'BEGIN',
    'SELECT 1',
    'END',
    'SELECT 2',
  ])
})
