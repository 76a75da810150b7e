/** What an import remembers of the rows that it has seen. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeenKeys } from '../../../src/features/device-transfers/seen-keys.ts'

test('each text is new once, however many there are', () => {
  const seen = new SeenKeys()
  const texts = Array.from({ length: 20_000 }, (_, index) => `key ${index}`)
  assert.ok(texts.every((text) => seen.add(text)))
  assert.ok(texts.every((text) => !seen.add(text)))
  assert.ok(seen.add('hardware 1'))
})
