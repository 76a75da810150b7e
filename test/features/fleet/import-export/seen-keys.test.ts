/** The memory of an import about the rows that it has seen. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeenKeys } from '../../../../src/features/fleet/import-export/seen-keys.ts'

test('each text keeps the first line that it stood in, however many there are', () => {
  const seen = new SeenKeys()
  const texts = Array.from({ length: 20_000 }, (_, index) => `key ${index}`)
  assert.ok(texts.every((text, index) => seen.add(text, index + 1) === index + 1))
  assert.ok(texts.every((text, index) => seen.add(text, 30_000) === index + 1))
  assert.ok(texts.every((text, index) => seen.lineOf(text) === index + 1))
  assert.equal(seen.lineOf('hardware 1'), undefined)
  assert.equal(seen.add('hardware 1', 30_000), 30_000)
})
