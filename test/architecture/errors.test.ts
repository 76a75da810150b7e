/**
 * The failure catalogue: each code is promised by some operation, thrown by some rule, and on the
 * page of failures; and whatever nobody foresaw looks like all others and shows nothing. That some
 * test meets each code is looked at after a whole run, by test/run.ts.
 */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import {
  isNoSubstitutionTemplateLiteral,
  isPropertyAssignment,
  isStringLiteral,
} from 'typescript/unstable/ast/is'
import type { Node } from 'typescript/unstable/ast'
import { catalogue, type FailureCode } from '../../src/platform/errors/errors.ts'
import { failureCodesOf } from '../../src/platform/http/openapi-failures.ts'
import { operations } from '../../src/operations.ts'
import { assertFailure } from '../support/problems.ts'
import { sendRaw } from '../support/raw-http.ts'
import { ROUTING_FAILURES } from '../support/provoked-failures.ts'
import { secondServer, type ServiceOperations } from '../support/second-server.ts'
import { readSources, ROOT } from '../support/sources.ts'
import { useApp } from '../support/suite-app.ts'

const codes = Object.keys(catalogue) as FailureCode[]

test('each failure is declared by some operation, or can meet every caller', () => {
  const promised = new Set<string>([...ROUTING_FAILURES, ...operations.flatMap(failureCodesOf)])
  assert.deepEqual(
    codes.filter((code) => !promised.has(code)),
    [],
  )
})

test('each failure is on the page of failures', () => {
  const page = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8')
  assert.deepEqual(
    codes.filter((code) => !page.includes(`\`${code}\``)),
    [],
  )
})

test('each failure happens somewhere, and is not only promised', () => {
  const said = new Set<string>()
  const collect = (node: Node): void => {
    if (isPropertyAssignment(node) && node.name.getText() === 'fails') return
    if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) said.add(node.text)
    node.forEachChild(collect)
  }
  for (const { path, tree } of readSources({ after })) {
    if (path.startsWith('src/') && !path.startsWith('src/platform/errors/')) collect(tree)
  }
  assert.deepEqual(
    codes.filter((code) => !said.has(code)),
    [],
  )
})

test('a failure describes what happened, and what to do', () => {
  for (const [code, { status, title, sentence, remedy }] of Object.entries(catalogue)) {
    assert.ok(status >= 400 && status < 600, code)
    assert.match(title, /^[A-Z].*[^.]$/, code)
    assert.match(sentence, /^[A-Z].*\.$/, code)
    assert.match(remedy, /^[A-Z].*\.$/, code)
  }
})

/** Ids of two different failures of one status must not differ only by case or a plural. */
test('no two failures are easily taken for each other', () => {
  const plain = codes.map((code) => code.replaceAll(/_|s\b/g, ''))
  assert.deepEqual(
    plain.filter((code, index) => plain.indexOf(code) !== index),
    [],
  )
})

describe('unforeseen errors', () => {
  const get = useApp()
  const SECRET = 'postgres://user:hunter2@10.0.0.7/db'

  const failing = (thrown: unknown): ServiceOperations =>
    operations
      .filter(({ id }) => id === 'login')
      .map((operation) => ({ ...operation, run: () => Promise.reject(thrown) }))

  const thrown: readonly [string, unknown][] = [
    ['an error', new Error(SECRET)],
    ['an error with a cause', new TypeError('x', { cause: new Error(SECRET) })],
    ['an error with a status of its own', Object.assign(new Error(SECRET), { statusCode: 418 })],
    ['an error of the database', Object.assign(new Error(SECRET), { code: '23505' })],
    ['a text', SECRET],
    ['an object', { message: SECRET, statusCode: 200 }],
    ['nothing', undefined],
    ['null', null],
  ]

  for (const [name, what] of thrown) {
    test(`${name} that is thrown becomes internal_error, which reveals nothing of it`, async () => {
      const received: unknown[] = []
      const onFailure = (error: unknown): void => void received.push(error)
      const server = secondServer(get(), failing(what), { onFailure })
      const payload = operations.find(({ id }) => id === 'login')?.example as object
      const response = await server.inject({ method: 'POST', url: '/api/v1/auth/login', payload })
      await server.close()
      const { statusCode: status, headers, body: text } = response
      const problem = assertFailure({ status, contentType: headers['content-type'], text }, name)
      assert.equal(problem.code, 'internal_error')
      assert.ok(!text.includes('hunter2') && !JSON.stringify(headers).includes('hunter2'), text)
      assert.equal(received.length, 1, 'the log hears of it')
    })
  }

  test('a request that never ends gets a response, and its connection is closed', async () => {
    const server = secondServer(get(), failing(undefined))
    await server.listen({ port: 0, host: '127.0.0.1' })
    // The action of Node when the time is up, without waiting for it.
    server.server.on('connection', (socket: Socket) => {
      const error = Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      setTimeout(() => server.server.emit('clientError', error, socket), 50)
    })
    const address = server.server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const response = await sendRaw(port, 'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\n')
    await server.close()
    assert.equal(assertFailure(response, 'a slow request').code, 'request_timeout')
  })

  test('a body that never ends is given up', async () => {
    const server = secondServer(get(), failing(undefined), { bodyTimeoutMs: 50 })
    await server.listen({ port: 0, host: '127.0.0.1' })
    const address = server.server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const head =
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\n' +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n'
    const response = await sendRaw(port, `${head}{`)
    assert.equal(assertFailure(response, 'a slow body').code, 'request_timeout')
    await server.close()
  })
})
