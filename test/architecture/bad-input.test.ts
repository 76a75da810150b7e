/**
 * Bad bodies: whatever is sent, the response is a documented failure of the caller's, and the
 * service continues answering.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import type { InjectOptions } from 'fastify'
import { catalogue } from '../../src/platform/errors/errors.ts'
import { NDJSON } from '../../src/platform/http/ndjson.ts'
import { failureCodesOf } from '../../src/platform/http/openapi-failures.ts'
import { routeOf } from '../../src/platform/http/operation.ts'
import { operations } from '../../src/operations.ts'
import { type Headers, sameOrigin, type TestApp } from '../support/app.ts'
import { assertProblem, type Problem } from '../support/problems.ts'
import { useApp } from '../support/suite-app.ts'
import { idOf, seedTenant, type Tenant } from '../support/tenants.ts'
import { isThorough } from '../support/thorough.ts'
import { type BadBody, badBodies } from './bad-bodies.ts'

type AnyOperation = (typeof operations)[number]
type Json = Record<string, unknown>

/** The operations that may be sent a JSON body. */
const withBody = operations.filter(({ method, rows }) => method !== 'GET' && rows === undefined)

/** All that reading a body may depend on, before the body's own schema. */
const kindOf = ({ access, body }: AnyOperation): string => {
  const { required = [] } = (body ?? {}) as { required?: string[] }
  return `${String(access)} ${body === undefined} ${required.length > 0}`
}
const firstOfKind = new Map(withBody.toReversed().map((each) => [kindOf(each), each]))

/** All bad bodies for one operation of each kind; for another one of each sort. */
function badBodiesFor(operation: AnyOperation): readonly BadBody[] {
  if (firstOfKind.get(kindOf(operation)) === operation) return badBodies
  const ofSort = new Map(badBodies.map((each) => [each.codes.join(' '), each]))
  return [...ofSort.values()]
}

/** One value of each type, and of each edge of a type. */
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53 - 1,
  '',
  ' ',
  'x',
  'é\u202e😀',
  'x'.repeat(70_000),
  [],
  [null],
  [[]],
  [1, 'x', {}],
  Array.from({ length: 1_000 }, () => 'x'),
  {},
  { a: { b: [null] } },
  { toString: 1, constructor: null, hasOwnProperty: 'x' },
]

/** The values for a member: all for one operation of each kind, for the others every third. */
const valuesFor = (operation: AnyOperation, member: number): readonly unknown[] =>
  isThorough || firstOfKind.get(kindOf(operation)) === operation
    ? VALUES
    : VALUES.filter((_value, index) => (index + member) % 3 === 0)

/** The end of an id that nothing has. */
const NOBODY = `_${'0'.repeat(26)}`

const ajv = formats.default(new Ajv({ strict: false }))

describe('bad bodies', () => {
  const get = useApp()
  let app: TestApp
  let own: Tenant

  before(async () => {
    app = get()
    own = await seedTenant(app, app.seed)
  })

  function requestTo(
    operation: AnyOperation,
  ): Omit<InjectOptions, 'headers' | 'url'> & { headers: Headers; url: string } {
    const { access, method, params } = operation
    const url = routeOf(operation).replaceAll(/:([a-z_]+)/g, (_whole, name: string) =>
      idOf(own, params[name]?.prefix),
    )
    const kind = access === 'public' ? undefined : access[0]
    const credential = kind === undefined ? {} : own.callers[kind][0]
    const headers = { 'content-type': 'application/json', ...sameOrigin, ...credential }
    return { method, url, headers }
  }

  async function send(request: InjectOptions) {
    const response = await app.app.http.inject(request)
    const contentType = response.headers['content-type']
    return { status: response.statusCode, contentType, text: response.body }
  }

  /** Sends a body, and asserts that whatever comes back is a response and no failure of ours. */
  async function sendJson(operation: AnyOperation, body: unknown, where: string) {
    const request = { ...requestTo(operation), payload: JSON.stringify(body) }
    const response = await send(request)
    const problem: Problem | undefined =
      response.status >= 400 ? assertProblem(response, where) : undefined
    return { ...response, problem }
  }

  const stillResponds = async (): Promise<void> => {
    const { status } = await app.call('GET', '/workspaces', { as: own.callers.user[0] as Headers })
    assert.equal(status, 200)
  }

  for (const operation of withBody) {
    test(`${operation.id} refuses what is not JSON, not UTF-8, too large or of another type`, async () => {
      const documented = failureCodesOf(operation)
      for (const { name, payload, headers, codes } of badBodiesFor(operation)) {
        const request = requestTo(operation)
        request.headers = { ...request.headers, ...headers }
        request.payload = payload
        const where = `${operation.id}, ${name}`
        const problem = assertProblem(await send(request), where)
        assert.ok(codes.includes(problem.code), `${where}: ${problem.code} ${problem.detail}`)
        assert.ok(documented.includes(problem.code), `${where}: ${problem.code} is not documented`)
      }
      await stillResponds()
    })
  }

  test('an empty body may be of any type, where none is needed', async () => {
    const types = ['application/x-www-form-urlencoded', 'text/plain;charset=UTF-8', NDJSON, '*/*']
    for (const operation of withBody) {
      const { required = [] } = (operation.body ?? {}) as { required?: string[] }
      const prefixes = Object.values(operation.params).slice(1)
      // Where it would have an effect, it is asked of what is not there.
      if (required.length === 0 && prefixes.length === 0) continue
      for (const type of types) {
        const { method, headers, url } = requestTo(operation)
        const path = required.length > 0 ? url : url.replace(/_[0-9a-z]{26}(?=\/?[^_]*$)/, NOBODY)
        const given = { ...headers, 'content-type': type, 'content-length': '0' }
        const problem = assertProblem(await send({ method, url: path, headers: given }), path)
        assert.equal(problem.status, required.length > 0 ? 400 : 404, `${operation.id}, ${type}`)
      }
    }
    const [device = {}] = own.callers.device
    for (const method of ['DELETE', 'POST']) {
      const path = method === 'POST' ? '/devices/auth/claim-codes' : '/devices/auth/claim'
      const headers = { ...device, 'content-type': types[0] as string }
      const { status, text } = await app.call(method, path, { headers, body: Buffer.alloc(0) })
      assert.equal(status, method === 'POST' ? 201 : 204, text)
    }
  })

  test('rows are taken from NDJSON only, or from CSV where the columns have a meaning', async () => {
    for (const operation of operations.filter(({ rows }) => rows !== undefined)) {
      for (const { name, payload, headers, codes } of badBodies) {
        if (!codes.includes('unsupported_media_type')) continue
        const isEncoded = headers?.['content-encoding'] !== undefined
        const type = isEncoded ? NDJSON : (headers?.['content-type'] ?? '')
        if (type === NDJSON && !isEncoded) continue
        if (type === 'text/csv' && operation.rows?.csv !== undefined) continue
        const request = requestTo(operation)
        const sent: Headers = { ...request.headers, ...headers, 'content-type': type }
        const response = await send({ ...request, payload, headers: sent })
        const problem = assertProblem(response, `${operation.id}, ${name}`)
        assert.equal(problem.code, 'unsupported_media_type', `${operation.id}, ${name}`)
      }
      const json = { ...requestTo(operation), payload: '{}' }
      assert.equal(assertProblem(await send(json), operation.id).code, 'unsupported_media_type')
    }
  })

  test('an invalid row fails alone, whatever is in it', async () => {
    for (const operation of operations.filter(({ rows }) => rows !== undefined)) {
      const lines = badBodies
        .filter(({ codes }) => codes.some((code) => /malformed_json|invalid_request/.test(code)))
        .map(({ payload }) => Buffer.from(payload))
        .filter((bytes) => !bytes.includes(0x0a) && bytes.toString().trim() !== '')
      // A stream needs the connection that it came by.
      const { url, headers } = requestTo(operation)
      const response = await app.call(operation.method, url, {
        headers: { ...headers, 'content-type': NDJSON },
        body: Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])),
      })
      assert.equal(response.status, 200, response.text)
      const results = response.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Json)
      assert.equal(results.length, lines.length)
      for (const result of results) {
        const { status, code } = result
        const isRefused = typeof status === 'number' && status >= 400 && status < 500
        assert.ok(isRefused || status === 'failed', JSON.stringify(result))
        assert.ok(typeof code === 'string' && code in catalogue, JSON.stringify(result))
      }
    }
  })

  /** Names of members of a schema, those inside of members too, as lists of steps. */
  function membersOf(schema: unknown, path: readonly string[] = []): string[][] {
    const { properties = {}, items } = (schema ?? {}) as { properties?: Json; items?: unknown }
    const inside = Object.entries(properties).flatMap(([name, property]) => {
      const here = [...path, name]
      return [here, ...membersOf(property, here)]
    })
    return items === undefined
      ? inside
      : [...inside, [...path, '0'], ...membersOf(items, [...path, '0'])]
  }

  /** The example with one member replaced; missing objects on the way to it are made. */
  function withMember(example: unknown, [step = '', ...rest]: readonly string[], value: unknown) {
    const copy = (step === '0' ? [] : { ...(example as Json) }) as Json
    copy[step] = rest.length === 0 ? value : withMember(copy[step] ?? {}, rest, value)
    return copy
  }

  for (const operation of withBody) {
    const schema = operation.body
    if (schema === undefined) continue
    const isValid = ajv.compile({ additionalProperties: false, ...schema })
    test(`${operation.id} refuses every member of a wrong type`, async () => {
      let refused = 0
      for (const [index, member] of membersOf(schema).entries()) {
        for (const value of valuesFor(operation, index)) {
          const body = withMember(operation.example ?? {}, member, value)
          const shown = JSON.stringify(value).slice(0, 40)
          const where = `${operation.id}, ${member.join('/')} = ${shown}`
          if (isValid(body)) {
            await sendJson(operation, body, where)
            continue
          }
          const { problem } = await sendJson(operation, body, where)
          assert.equal(problem?.code, 'invalid_request', `${where}: ${problem?.detail}`)
          const pointers = (problem?.errors ?? []).map(({ pointer }) => pointer)
          assert.ok(
            pointers.every((pointer) => pointer.startsWith(`/${member[0] ?? ''}`)),
            `${where}: ${pointers.join(' ')}`,
          )
          refused += 1
        }
      }
      assert.ok(refused > 0)
      await stillResponds()
    })
  }

  test('a member that is missing is named', async () => {
    for (const operation of withBody) {
      const { required = [] } = (operation.body ?? {}) as { required?: string[] }
      for (const name of required) {
        const { [name]: _left, ...rest } = operation.example as Json
        const where = `${operation.id} without ${name}`
        const { problem } = await sendJson(operation, rest, where)
        assert.equal(problem?.code, 'invalid_request', where)
        assert.deepEqual(problem?.errors?.[0]?.pointer, `/${name}`, where)
      }
      if (required.length === 0) continue
      const { 'content-type': _type, ...headers } = requestTo(operation).headers
      const nothing = { ...requestTo(operation), headers }
      const where = `${operation.id} without a body`
      assert.equal(assertProblem(await send(nothing), where).code, 'invalid_request', where)
    }
  })

  test('an unknown member is refused or ignored, as declared', async () => {
    for (const operation of withBody) {
      const { unknownMembers, example, id } = operation
      const known = (operation.body ?? {}) as { properties?: Json }
      if (unknownMembers === 'ignore') {
        // A name of the wrong type shows that the rest was looked at, and changes nothing.
        const [name] = Object.keys(known.properties ?? {})
        if (name === undefined) continue
        const { problem } = await sendJson(operation, { zzz: 1, [name]: {} }, id)
        assert.deepEqual(problem?.errors?.[0]?.pointer, `/${name}`, id)
        continue
      }
      for (const name of ['zzz', 'Name', 'id', 'workspaceId', 'constructor', 'a/b~c', '']) {
        if (name in (known.properties ?? {})) continue
        const where = `${id} with "${name}"`
        const { problem } = await sendJson(operation, { ...(example as Json), [name]: 1 }, where)
        assert.equal(problem?.code, 'invalid_request', where)
        const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
        assert.deepEqual(problem?.errors?.[0]?.pointer, pointer, where)
      }
    }
  })

  test('a failure never repeats the input', async () => {
    const secret = 'Sw0rdf1sh'
    for (const operation of withBody) {
      for (const payload of [`{"password":"${secret}"`, `{"x":"${secret}","x":1}`, `"${secret}"`]) {
        const response = await send({ ...requestTo(operation), payload })
        assert.ok(!response.text.includes(secret), response.text)
      }
      for (const [name] of membersOf(operation.body)) {
        const body = { ...(operation.example as Json), [name as string]: [secret, { a: secret }] }
        const { text, problem } = await sendJson(operation, body, operation.id)
        assert.ok(problem === undefined || !text.includes(secret), `${operation.id}: ${text}`)
      }
    }
  })
})
