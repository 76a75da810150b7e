/** The addresses of a pasted text. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAddresses } from '../../console/src/pages/people/addresses.ts'

const validIn = (text: string): string[] =>
  readAddresses(text).flatMap(({ text: each, isValid }) => (isValid ? [each] : []))
const invalidIn = (text: string): string[] =>
  readAddresses(text).flatMap(({ text: each, isValid }) => (isValid ? [] : [each]))

test('commas, semicolons, spaces and line ends separate addresses', () => {
  const text = 'a@example.com, b@example.com;c@example.com\n  d@example.com e@example.com\r\n\t'
  assert.deepEqual(
    validIn(text),
    ['a', 'b', 'c', 'd', 'e'].map((each) => `${each}@example.com`),
  )
  assert.deepEqual(invalidIn(text), [])
  assert.deepEqual(readAddresses(' ,;\n '), [])
})

test('a name in front of an address in brackets is left out', () => {
  const text = '"Ada Lovelace" <ada@example.com>, Grace <grace@example.com>'
  assert.deepEqual(validIn(text), ['ada@example.com', 'grace@example.com'])
  assert.deepEqual(invalidIn(text), [])
})

test('an address counts once, whatever its case', () => {
  assert.deepEqual(validIn('Ada@example.com ada@EXAMPLE.com'), ['Ada@example.com'])
})

test('an invalid address is kept and marked', () => {
  const text =
    'ada, ada@, @example.com, ada@example, ada@@example.com, ada@example..com, ädä@example.com'
  assert.deepEqual(validIn(text), [])
  assert.equal(invalidIn(text).length, 7)
})
