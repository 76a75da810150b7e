/** The properties of every operation, from which the other parts are generated. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { permissions } from '../../src/platform/access/permissions.ts'
import { BrokersFileSchema } from '../../src/adapters/broker/kinds.ts'
import { PlansFile } from '../../src/features/metering/plans/schema.ts'
import { CONSOLE_BASE, isWorkspacePath } from '../../src/platform/http/operation.ts'
import { describePattern } from '../../src/platform/http/pattern-description.ts'
import { describedKeywords } from '../../src/platform/http/schema-messages.ts'
import { operations } from '../../src/operations.ts'

type Json = Record<string, unknown>

const none = (found: readonly unknown[]): void => assert.deepEqual(found, [])
const ids = (found: readonly { id: string }[]): void => none(found.map(({ id }) => id))

test('no two operations share a name or a route', () => {
  const names = operations.map(({ id }) => id)
  const routes = operations.map(
    ({ method, base, path }) => `${method} ${base}${path.replaceAll(/:[a-z_]+/g, ':')}`,
  )
  none(names.filter((name, index) => names.indexOf(name) !== index))
  none(routes.filter((route, index) => routes.indexOf(route) !== index))
})

test('operations of the console are not in the reference, and no response of theirs is stored', () => {
  ids(
    operations.filter(
      ({ base, summary, idempotency, method }) =>
        base === CONSOLE_BASE &&
        (summary !== undefined || (method === 'POST' && idempotency !== 'own')),
    ),
  )
})

test('each parameter of a path is declared as an id, and no other', () => {
  none(
    operations
      .filter(({ path, params }) => {
        const named = [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name)
        return named.join(' ') !== Object.keys(params).join(' ')
      })
      .map(({ id }) => id),
  )
})

test('inside of a workspace an operation names the permission that it needs', () => {
  ids(
    operations.filter(
      ({ path, permission }) => isWorkspacePath(path) !== (permission !== undefined),
    ),
  )
  ids(
    operations.filter(
      ({ path, access }) =>
        isWorkspacePath(path) &&
        (access === 'public' || access.some((kind) => kind !== 'user' && kind !== 'platform-key')),
    ),
  )
  const used = new Set(
    operations.flatMap(({ permission, alsoNeeds }) => [permission, ...alsoNeeds]),
  )
  none(Object.keys(permissions).filter((name) => !used.has(name as keyof typeof permissions)))
})

test('reading needs a permission to read, and changing one that is more', () => {
  ids(
    operations.filter(({ method, permission }) => {
      // Watching messages shows what they say, so that a permission to read is not enough.
      const isReading =
        permission === 'mqtt.observe' || (permission?.endsWith('.read') ?? method === 'GET')
      return isReading !== (method === 'GET')
    }),
  )
})

test('only firmware may send unknown members', () => {
  const isFirmware = (path: string): boolean => /^\/(?:provision|devices\/auth)\b/.test(path)
  ids(
    operations.filter(
      ({ path, unknownMembers }) => isFirmware(path) !== (unknownMembers === 'ignore'),
    ),
  )
})

test('a list says in which order it is', () => {
  const isPaged = (query: unknown): boolean =>
    'cursor' in ((query as { properties?: object } | undefined)?.properties ?? {})
  ids(
    operations.filter(
      ({ query, description = '' }) =>
        isPaged(query) && !/\b(?:first|order|by the field)\b/.test(description),
    ),
  )
})

test('a reading operation has no body, and every response has a status of success', () => {
  ids(operations.filter(({ method, body }) => method === 'GET' && body !== undefined))
  ids(
    operations.filter(({ returns }) => {
      const statuses = Object.keys(returns).map(Number)
      return statuses.length === 0 || statuses.some((status) => status < 200 || status > 299)
    }),
  )
})

const ajv = formats.default(new Ajv({ strict: false }))

test('the example of a body is accepted', () => {
  for (const { id, body, example } of operations) {
    if (body === undefined) continue
    const isValid = ajv.compile({ additionalProperties: false, ...body })
    assert.ok(example !== undefined, `${id} has no example`)
    // Words such as `mfa_…` stand for secrets that nobody could make up.
    const whole = JSON.parse(JSON.stringify(example).replaceAll('…', 'x'.repeat(60))) as unknown
    assert.ok(isValid(whole), `${id}: ${ajv.errorsText(isValid.errors)}`)
  }
})

/** Every schema below one, with the way to it. */
function* schemasIn(schema: Json, path: string): Generator<[string, Json]> {
  yield [path, schema]
  for (const [name, value] of Object.entries(schema)) {
    // Data for clients, which limits nothing.
    if (typeof value !== 'object' || value === null || ['enum', 'x-filter'].includes(name)) continue
    yield* schemasIn(value as Json, `${path}/${name}`)
  }
}

test('each refusal describes the expected value', () => {
  const annotations = /^(?:properties|items|description|title|default|examples?|x-filter|~.*)$/
  const files = [BrokersFileSchema, PlansFile].map((body) => ({ id: 'a file', body, query: {} }))
  const bare: string[] = []
  for (const { id, body = {}, query = {} } of [...operations, ...files]) {
    for (const [path, schema] of schemasIn({ body, query }, id)) {
      if (/[/](?:properties|patternProperties)$/.test(path)) continue
      const patterns = [schema.pattern ?? [], Object.keys(schema.patternProperties ?? {})].flat()
      bare.push(...patterns.map(String).filter((pattern) => describePattern(pattern) === undefined))
      if (typeof schema.type !== 'string') continue
      const keywords = Object.keys(schema).filter((name) => !annotations.test(name))
      bare.push(
        ...keywords.filter((name) => name !== 'patternProperties' && !describedKeywords.has(name)),
      )
    }
  }
  assert.deepEqual(new Set(bare), new Set())
})

test('every text, list, number and object that is taken has bounds', () => {
  const open: string[] = []
  for (const { id, body, query } of operations) {
    for (const part of [body, query]) {
      for (const [path, schema] of schemasIn((part ?? {}) as Json, id)) {
        const { type } = schema
        const isText = type === 'string' && !('pattern' in schema || 'enum' in schema)
        if (isText && schema.maxLength === undefined) open.push(`${path}: maxLength`)
        if (type === 'array' && schema.maxItems === undefined) open.push(`${path}: maxItems`)
        const isNumber = type === 'integer' || type === 'number'
        if (isNumber && schema.minimum === undefined) open.push(`${path}: minimum`)
        if (isNumber && schema.maximum === undefined) open.push(`${path}: maximum`)
      }
    }
  }
  none(open)
})
