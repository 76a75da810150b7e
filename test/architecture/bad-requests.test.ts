/**
 * Bad queries, headers and bytes: whatever is sent, the response is a documented failure of the
 * caller's, and the service continues answering.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { FailureCode } from '../../src/platform/errors/errors.ts'
import { failureCodesOf } from '../../src/platform/http/openapi-failures.ts'
import { BASE_PATH, routeOf } from '../../src/platform/http/operation.ts'
import { operations } from '../../src/operations.ts'
import { type Headers, sameOrigin, type TestApp } from '../support/app.ts'
import { assertProblem } from '../support/problems.ts'
import { sendRaw } from '../support/raw-http.ts'
import { useApp } from '../support/suite-app.ts'
import { idOf, seedTenant, type Tenant } from '../support/tenants.ts'

type AnyOperation = (typeof operations)[number]
type Json = Record<string, unknown>

const propertiesOf = (schema: unknown): Record<string, Json> =>
  ((schema ?? {}) as { properties?: Record<string, Json> }).properties ?? {}

/** Values of a query that no parameter takes, by what the parameter is. */
function badValues(name: string, property: Json): string[] {
  const tooLong = 'x'.repeat(5_000)
  if (property.type === 'integer') {
    const numbers = [
      '',
      ' ',
      'x',
      '1x',
      '-1',
      '1.5',
      '1e2',
      '0x10',
      '+1',
      '1e999',
      '٣',
      '1e308',
      '9'.repeat(25),
      'null',
    ]
    return [...numbers, '[]', '{}', tooLong]
  }
  if (name === 'cursor') return ['', 'x', '../..', 'AAAA', '%00', '%ff', '%', tooLong]
  if (property.enum !== undefined || property.format !== undefined) {
    return ['', 'x', '0', 'null', 'ACTIVE', '%00', '%ff', tooLong]
  }
  return [tooLong]
}

describe('bad requests', () => {
  const get = useApp()
  let app: TestApp
  let own: Tenant

  before(async () => {
    app = get()
    own = await seedTenant(app, app.seed)
  })

  const pathOf = (operation: AnyOperation): string =>
    routeOf(operation).replaceAll(/:([a-z_]+)/g, (_whole, name: string) =>
      idOf(own, operation.params[name]?.prefix),
    )

  const credentialFor = ({ access }: AnyOperation): Headers =>
    access === 'public' ? {} : (own.callers[access[0] as 'user'][0] as Headers)

  /** One request in the service's own process, without a socket. */
  async function inject(operation: AnyOperation, query: string, headers: Headers = {}) {
    const isRead = operation.method === 'GET'
    const response = await app.app.http.inject({
      method: operation.method,
      url: `${pathOf(operation)}${query}`,
      headers: {
        ...sameOrigin,
        ...(!isRead && { 'content-type': 'application/json' }),
        ...credentialFor(operation),
        ...headers,
      },
      ...(!isRead && { payload: JSON.stringify(operation.example ?? {}) }),
    })
    const contentType = response.headers['content-type']
    return {
      status: response.statusCode,
      contentType,
      text: response.body,
      headers: response.headers,
    }
  }

  async function refuses(operation: AnyOperation, query: string, codes: readonly FailureCode[]) {
    const where = `${operation.id}${query.slice(0, 80)}`
    const problem = assertProblem(await inject(operation, query), where)
    assert.ok(codes.includes(problem.code), `${where}: ${problem.code} ${problem.detail}`)
    return problem
  }

  const INVALID = ['invalid_request'] as const
  const strict = operations.filter(({ unknownMembers }) => unknownMembers === 'refuse')

  test('a query with an unknown name is refused, and the response names it', async () => {
    for (const operation of strict) {
      for (const name of ['zzz', 'Limit', 'limit[]', '__proto__', 'constructor', 'a/b', '']) {
        if (name in propertiesOf(operation.query)) continue
        const problem = await refuses(operation, `?${encodeURIComponent(name)}=1`, INVALID)
        const pointer = `/query/${name.replaceAll('/', '~1')}`
        assert.deepEqual(problem.errors?.[0]?.pointer, pointer, operation.id)
      }
    }
  })

  test('a query with a name twice, or an invalid value, is refused', async () => {
    const codes = ['invalid_request', 'invalid_cursor'] as const
    for (const operation of operations) {
      for (const [name, property] of Object.entries(propertiesOf(operation.query))) {
        await refuses(operation, `?${name}=1&${name}=2`, INVALID)
        for (const value of badValues(name, property)) {
          const query = value.includes('%') ? value : encodeURIComponent(value)
          await refuses(operation, `?${name}=${query}`, codes)
        }
      }
    }
  })

  test('texts in a query that the database cannot hold are answered all the same', async () => {
    for (const operation of operations) {
      for (const [name, property] of Object.entries(propertiesOf(operation.query))) {
        if (property.type !== 'string') continue
        for (const value of ['%00', 'a%00b', '%ff%fe', '%ed%a0%80', '%', '%zz', '%F0%9F%98%80']) {
          const response = await inject(operation, `?${name}=${value}`)
          const where = `${operation.id}?${name}=${value}`
          if (response.status >= 400) assertProblem(response, where)
          else assert.equal(response.status, 200, where)
        }
      }
    }
  })

  test('an id of any other shape is an unknown one', async () => {
    for (const operation of operations) {
      for (const [name, { prefix, missing }] of Object.entries(operation.params)) {
        const good = idOf(own, prefix)
        const numbers = ['0', '01', '-1', '1.0', '1e1', '0x1', `${good}${'0'.repeat(20)}`]
        const ids = [good.toUpperCase(), `${good}0`, good.slice(0, -1), `x${good}`, prefix, '0']
        // Two dots alone are taken for the folder above, before anything is sent.
        const odd = ['%00', '%ff', '%', '%2e%2e%2e', '..%2f..', '%0d%0a', '💥', "'--", '*', '{id}']
        const value = good.slice((prefix ?? '').length + 1)
        const others = [...ids, `usr2_${value}`, value, `${prefix}-${value}`]
        for (const id of [...(prefix === undefined ? numbers : others), ...odd]) {
          const url = pathOf({ ...operation, params: { ...operation.params } }).replace(
            `/${good}`,
            `/${id}`,
          )
          if (url.includes(good) && name === 'id' && id === good) continue
          // A client resolves it by itself, and then asks for something else.
          const depth = new URL(url, 'http://localhost').pathname.split('/').length
          if (depth !== url.split('/').length) continue
          const response = await app.app.http.inject({
            method: operation.method,
            url,
            headers: { ...sameOrigin, ...credentialFor(operation) },
          })
          const where = `${operation.id} with ${name} = ${id}`
          const contentType = response.headers['content-type']
          const shown = { status: response.statusCode, contentType, text: response.body }
          const { code } = assertProblem(shown, where)
          assert.ok([missing, 'not_found', 'invalid_request'].includes(code), `${where}: ${code}`)
        }
      }
    }
  })

  test('an Idempotency-Key that can be none is refused before anything happens', async () => {
    const keys = ['', ' ', 'a b', 'é', 'x'.repeat(256), '""', '"a b"', 'a\tb', 'a\0b']
    for (const operation of operations) {
      if (operation.method !== 'POST' || operation.rows !== undefined) continue
      for (const key of keys) {
        const response = await inject(operation, '', { 'idempotency-key': key })
        const where = `${operation.id} with the key ${key.slice(0, 20)}`
        const problem = assertProblem(response, where)
        assert.equal(problem.code, 'invalid_request', `${where}: ${response.text}`)
        assert.equal(problem.errors?.[0]?.pointer, '/header/idempotency-key', where)
      }
    }
  })

  test('an If-Match that names no revision changes nothing', async () => {
    for (const operation of operations) {
      if (!operation.fails.includes('precondition_failed')) continue
      for (const tag of [
        '',
        'x',
        '1',
        '"x"',
        'W/"1"',
        '"1',
        '"-1"',
        '"99999999999999999999"',
        '""',
      ]) {
        const response = await inject(operation, '', { 'if-match': tag })
        const where = `${operation.id} with If-Match: ${tag}`
        // A request that would be refused without a precondition is refused for that reason.
        const { code } = assertProblem(response, where)
        assert.ok(operation.fails.includes(code), `${where}: ${response.text}`)
      }
    }
  })

  test('an expectation other than 100-continue is refused, whatever else is sent', async () => {
    for (const operation of operations) {
      const response = await inject(operation, '', { expect: 'the-unexpected' })
      const { code } = assertProblem(response, operation.id)
      assert.equal(code, 'expectation_failed', operation.id)
      assert.ok(failureCodesOf(operation).includes(code), operation.id)
    }
  })

  test('a parameter of any length is an unknown id', async () => {
    for (const operation of operations) {
      const [name, last] = Object.entries(operation.params).at(-1) ?? []
      if (last === undefined) continue
      const path = operation.path.replace(`:${name}`, idOf(own, last.prefix).repeat(400))
      const url = pathOf({ ...operation, path })
      const headers = { ...sameOrigin, ...credentialFor(operation) }
      const response = await app.app.http.inject({ method: operation.method, url, headers })
      const contentType = response.headers['content-type']
      const shown = { status: response.statusCode, contentType, text: response.body }
      assert.equal(assertProblem(shown, url).code, last.missing, operation.id)
    }
  })

  test('an invalid traceparent is not continued, a valid one is', async () => {
    const id = '4bf92f3577b34da6a3ce929d0e0e4736'
    const sent = async (traceparent: string): Promise<string> => {
      const response = await inject(operations[0] as AnyOperation, '?zzz=1', { traceparent })
      return assertProblem(response, traceparent).trace_id
    }
    assert.equal(await sent(`00-${id}-00f067aa0ba902b7-01`), id)
    const bad = ['', 'x', id, `00-${id}`, `00-${id.toUpperCase()}-00f067aa0ba902b7-01`]
    for (const header of [...bad, `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `0-${id}-0-1`]) {
      assert.notEqual(await sent(header), id)
    }
  })
})

/** Bytes that are no request, or one that may mean two things; `Host` and the rest manually. */
const HOST = 'Host: x\r\n'
const LOGIN = `POST ${BASE_PATH}/auth/login HTTP/1.1\r\n${HOST}`
const JSON_TYPE = 'Content-Type: application/json\r\n'
const ANY = '[0-9a-z_]+'

const odd: readonly { name: string; bytes: string | Buffer; code?: string }[] = [
  { name: 'no HTTP at all', bytes: 'hello\r\n\r\n', code: 'invalid_request' },
  {
    name: 'the start of TLS',
    bytes: Buffer.from('16030100f8010000f40303', 'hex'),
    code: 'invalid_request',
  },
  { name: 'HTTP/2 without a warning', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  { name: 'an unknown method', bytes: `BREW / HTTP/1.1\r\n${HOST}\r\n`, code: 'invalid_request' },
  { name: 'an unknown version', bytes: `GET / HTTP/9.9\r\n${HOST}\r\n` },
  {
    name: 'an expectation that nobody knows',
    bytes: `${LOGIN}${JSON_TYPE}Expect: x\r\nContent-Length: 2\r\n\r\n{}`,
    code: 'expectation_failed',
  },
  {
    name: 'an expectation, of a path that is none',
    bytes: `GET /none HTTP/1.1\r\n${HOST}Expect: 200-ok\r\n\r\n`,
    code: 'expectation_failed',
  },
  {
    name: 'an expectation in HTTP/1.0, where there are none',
    bytes: `GET /none HTTP/1.0\r\n${HOST}Expect: x\r\n\r\n`,
    code: 'not_found',
  },
  { name: 'no host', bytes: `GET ${BASE_PATH}/workspaces HTTP/1.1\r\n\r\n` },
  { name: 'two hosts', bytes: `GET ${BASE_PATH}/workspaces HTTP/1.1\r\n${HOST}${HOST}\r\n` },
  { name: 'a line feed in a header', bytes: `GET / HTTP/1.1\r\n${HOST}X: a\nY: b\r\n\r\n` },
  { name: 'a carriage return in a header', bytes: `GET / HTTP/1.1\r\n${HOST}X: a\rY: b\r\n\r\n` },
  { name: 'a NUL in a header', bytes: `GET / HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n` },
  { name: 'a space before a colon', bytes: `GET / HTTP/1.1\r\n${HOST}X-A : b\r\n\r\n` },
  { name: 'a folded header', bytes: `GET / HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n` },
  { name: 'a header without a name', bytes: `GET / HTTP/1.1\r\n${HOST}: a\r\n\r\n` },
  { name: 'a length that is no number', bytes: `${LOGIN}Content-Length: x\r\n\r\n` },
  { name: 'a negative length', bytes: `${LOGIN}${JSON_TYPE}Content-Length: -1\r\n\r\n` },
  {
    name: 'two lengths',
    bytes: `${LOGIN}${JSON_TYPE}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`,
  },
  {
    name: 'a length and chunks',
    bytes: `${LOGIN}${JSON_TYPE}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  },
  {
    name: 'chunks twice',
    bytes: `${LOGIN}${JSON_TYPE}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
  },
  {
    name: 'an unknown transfer encoding',
    bytes: `${LOGIN}${JSON_TYPE}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  },
  {
    name: 'a chunk of a bad size',
    bytes: `${LOGIN}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  },
  {
    name: 'a header of 20 kB',
    bytes: `GET / HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`,
    code: 'request_header_too_large',
  },
  {
    name: 'a path of 20 kB',
    bytes: `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`,
    code: 'request_header_too_large',
  },
  {
    name: 'three thousand headers',
    bytes: `GET / HTTP/1.1\r\n${HOST}${'A: b\r\n'.repeat(3_000)}\r\n`,
    code: 'request_header_too_large',
  },
  { name: 'a path with an invalid escape', bytes: `GET /%zz HTTP/1.1\r\n${HOST}\r\n` },
  { name: 'a path that leads upwards', bytes: `GET /../../etc/passwd HTTP/1.1\r\n${HOST}\r\n` },
  { name: 'an unknown path', bytes: `GET /none HTTP/1.1\r\n${HOST}\r\n`, code: 'not_found' },
  {
    name: 'two hosts',
    bytes: `GET /.well-known/jwks.json HTTP/1.1\r\n${HOST}${HOST}\r\n`,
    code: 'invalid_request',
  },
  {
    name: 'a host in the request line that is another one',
    bytes: `GET http://y/.well-known/jwks.json HTTP/1.1\r\n${HOST}\r\n`,
    code: 'invalid_request',
  },
  {
    name: 'an unknown path, and a body that does not come',
    bytes: `POST /none HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: 1000000\r\n\r\n{`,
    code: 'not_found',
  },
  {
    name: 'another method',
    bytes: `DELETE ${BASE_PATH}/auth/login HTTP/1.1\r\n${HOST}\r\n`,
    code: 'method_not_allowed',
  },
  { name: 'TRACE', bytes: `TRACE ${BASE_PATH}/auth/login HTTP/1.1\r\n${HOST}\r\n` },
  {
    name: 'a body of two megabytes',
    bytes: `${LOGIN}${JSON_TYPE}Content-Length: 2097152\r\n\r\n${'x'.repeat(2_097_152)}`,
    code: 'payload_too_large',
  },
  {
    name: 'chunks of two megabytes',
    bytes: `${LOGIN}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n200000\r\n${'x'.repeat(2_097_152)}`,
    code: 'payload_too_large',
  },
]

describe('bad bytes', () => {
  const get = useApp()

  for (const { name, bytes, code = ANY } of odd) {
    test(`${name} gets one response, a documented failure`, async () => {
      const { app, origin } = get()
      const response = await sendRaw(app.ports.http, bytes)
      const problem = assertProblem(response, name)
      assert.match(problem.code, new RegExp(`^${code}$`), response.text)
      assert.equal((await fetch(`${origin}/.well-known/jwks.json`)).status, 200)
    })
  }

  test('nobody gets a tunnel', async () => {
    const bytes = `CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`
    assert.equal((await sendRaw(get().app.ports.http, bytes)).status, 0)
  })

  test('a connection that ends during a request affects no other', async () => {
    const { app, origin } = get()
    const half = [LOGIN, `${LOGIN}${JSON_TYPE}Content-Length: 100\r\n\r\n{"email"`]
    const { connect } = await import('node:net')
    for (const bytes of half) {
      const socket = connect(app.ports.http, '127.0.0.1')
      socket.write(bytes, () => socket.resetAndDestroy())
      await new Promise((resolve) => socket.once('close', resolve))
    }
    assert.equal((await fetch(`${origin}/.well-known/jwks.json`)).status, 200)
  })
})
