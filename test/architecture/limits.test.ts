/**
 * Every 429 names its limit, in the body and in the headers. Each 429 that any test gets is checked
 * by `callUrl`; here is what no test needs to provoke.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { catalogue, type FailureCode, limited } from '../../src/platform/errors/errors.ts'
import { failureHeaders, toProblem } from '../../src/platform/http/failures.ts'
import { assertLimitNamed } from '../support/named-limit.ts'

const codes = (Object.keys(catalogue) as FailureCode[]).filter(
  (code) => catalogue[code].status === 429,
)

test('each failure code with status 429 names its limit', () => {
  for (const code of codes as Parameters<typeof limited>[0][]) {
    const failure = limited(code, { name: 'some_limit', value: 20, resetSeconds: 0.2 })
    const problem = toProblem(failure, { origin: '', path: '', traceId: '' })
    assertLimitNamed({ status: 429, headers: failureHeaders(failure), body: problem })
  }
})

test('no code refuses with 429 except by `limited`', () => {
  const direct = new RegExp(`new Failure\\(\\s*'(${codes.join('|')})'`)
  const paths = globSync(join(import.meta.dirname, '../../src/**/*.ts'))
  assert.ok(paths.length > 100)
  for (const path of paths) assert.doesNotMatch(readFileSync(path, 'utf8'), direct, path)
})
