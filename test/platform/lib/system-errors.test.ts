/** The code of anything thrown. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { test } from 'node:test'
import { codeOf } from '../../../src/platform/lib/system-errors.ts'

test('an error has its code; anything else has none', () => {
  assert.throws(
    () => mkdirSync(import.meta.dirname),
    (error) => codeOf(error) === 'EEXIST',
  )
  assert.equal(codeOf(Object.assign(new Error(), { code: '40001' })), '40001')
  for (const thrown of [
    new Error(),
    Object.assign(new Error(), { code: 1 }),
    undefined,
    'EEXIST',
  ]) {
    assert.equal(codeOf(thrown), '')
  }
})
