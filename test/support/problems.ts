/** Asserts the shape of every failure: RFC 9457 with the documented members. */
import assert from 'node:assert/strict'
import { catalogue, type FailureCode } from '../../src/platform/errors/errors.ts'
import { reach } from './provoked-failures.ts'

export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: FailureCode
  message: string
  trace_id: string
  errors?: { pointer: string; message: string }[]
  limit?: { name: string; value: number; reset_seconds?: number }
}

const KNOWN = [
  'type title status detail instance code message trace_id'.split(' '),
  ['errors', 'limit'],
] as const

export interface HttpResult {
  status: number
  contentType: unknown
  text: string
}

/**
 * Asserts that a response is a documented failure of the caller's.
 * @param where begins the message of whatever is wrong.
 */
export function assertProblem(response: HttpResult, where: string): Problem {
  const said = `${where}: ${response.status} ${response.text.slice(0, 500)}`
  assert.ok(response.status >= 400 && response.status < 500, said)
  return assertFailure(response, where)
}

/** Asserts that a response is a documented failure, of any operation. */
export function assertFailure(response: HttpResult, where: string): Problem {
  const said = `${where}: ${response.status} ${response.text.slice(0, 500)}`
  assert.match(String(response.contentType), /^application\/problem\+json\b/, said)
  const problem = JSON.parse(response.text) as Problem
  reach('', problem.instance, problem.code)
  const [always, sometimes] = KNOWN
  for (const name of always) assert.ok(name in problem, `${said} lacks ${name}`)
  for (const name of Object.keys(problem)) {
    assert.ok(always.includes(name) || sometimes.includes(name as 'errors'), `${said}: ${name}`)
  }
  assert.equal(problem.status, response.status, said)
  assert.equal(catalogue[problem.code].status, response.status, said)
  assert.equal(catalogue[problem.code].title, problem.title, said)
  assert.equal(problem.message, problem.detail, said)
  assert.ok(problem.type.endsWith(`/api/v1/errors/${problem.code}`), said)
  assert.match(problem.trace_id, /^[0-9a-f]{32}$/, said)
  for (const { pointer, message } of problem.errors ?? []) {
    assert.match(pointer, /^\//, said)
    assert.notEqual(message, '', said)
  }
  return problem
}
