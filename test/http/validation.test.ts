/** What a refused request is told: words that say what to write instead. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../src/errors.ts'
import { Timestamp } from '../../src/features/shapes.ts'
import { bodyCheck } from '../../src/http/validation.ts'
import Type from 'typebox'

test('a time that is none is refused with one that would do', () => {
  const check = bodyCheck(Type.Object({ after: Timestamp }), 'refuse')
  check({ after: '2026-11-20T18:00:00Z' })
  for (const after of ['yesterday', '2026-11-20', '2026-11-20T18:00:00']) {
    assert.throws(
      () => check({ after }),
      (failure: unknown) =>
        failure instanceof Failure &&
        failure.message === '/after must be a time with its zone, such as 2026-11-20T18:00:00Z.',
    )
  }
})
