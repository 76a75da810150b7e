/** The custom fields that a form sends: only changed ones, as values of their types. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedFields, fieldTexts, unreadableFields } from '../../console/src/api/field-values.ts'

const fields = [
  { name: 'site', type: 'string' },
  { name: 'size', type: 'number' },
  { name: 'sold', type: 'boolean' },
  { name: 'plan', type: 'json' },
] as const

const texts = { site: '12', size: '3.5', sold: 'true', plan: '{"a":[1]}' }

test('values become texts, and a missing value becomes none', () => {
  const values = { site: '12', size: 3.5, sold: true, plan: { a: [1] } }
  assert.deepEqual(fieldTexts(values, fields), texts)
  assert.deepEqual(fieldTexts({}, fields), { site: '', size: '', sold: '', plan: '' })
})

test('only what was changed is sent, by its type', () => {
  assert.deepEqual(changedFields(texts, texts, fields), {})
  const after = { site: '13', size: '4', sold: 'false', plan: '"a"' }
  assert.deepEqual(changedFields(texts, after, fields), {
    site: '13',
    size: 4,
    sold: false,
    plan: 'a',
  })
})

test('null is a value of JSON, and no text', () => {
  assert.deepEqual(changedFields(texts, { ...texts, plan: 'null' }, fields), { plan: null })
})

test('an emptied text takes the value away', () => {
  assert.deepEqual(changedFields(texts, { ...texts, size: ' ', plan: '' }, fields), {
    size: null,
    plan: null,
  })
})

test('an invalid number is left to the service; invalid JSON is found before', () => {
  assert.deepEqual(changedFields(texts, { ...texts, size: 'four' }, fields), { size: 'four' })
  assert.deepEqual(unreadableFields({ ...texts, plan: '{' }, fields), ['plan'])
  assert.deepEqual(unreadableFields({ ...texts, plan: '' }, fields), [])
})
