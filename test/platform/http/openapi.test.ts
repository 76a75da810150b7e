/** The OpenAPI document: complete, without loose ends, and the same each time. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import Type from 'typebox'
import { type Permission, permissions } from '../../../src/platform/access/permissions.ts'
import { catalogue } from '../../../src/platform/errors/errors.ts'
import { failureCodesOf } from '../../../src/platform/http/openapi-failures.ts'
import { openapiDocument } from '../../../src/platform/http/openapi.ts'
import { operationOf } from '../../../src/platform/http/operation.ts'
import { operations, tags } from '../../../src/operations.ts'

type Json = Record<string, unknown>
interface OperationObject {
  operationId: string
  tags: string[]
  description: string
  security: Json[]
  parameters?: Json[]
  requestBody?: { required: boolean; content: Record<string, { schema: Json; example: unknown }> }
  responses: Record<string, Json>
  'x-permission'?: string
  'x-also-needs'?: string[]
}

const operation = operationOf<object>()
const small = operation({
  id: 'createThing',
  route: 'POST /workspaces/:id/things',
  tag: 'Things',
  summary: 'Create a thing',
  access: ['user', 'platform-key'],
  permission: 'workspace.write',
  query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Most.' })) }),
  body: Type.Object({ name: Type.String(), kind: Type.Optional(Type.Enum(['a', 'b'])) }),
  returns: { 201: Type.Object({ id: Type.String() }, { title: 'Thing' }) },
  fails: ['slug_taken'],
  example: { name: 'x' },
  run: () => Promise.resolve({ id: 'x' }),
})

const methodsOf = (document: Json): [string, string, OperationObject][] =>
  Object.entries(document.paths as Record<string, Record<string, OperationObject>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(
        ([method, each]) => [method.toUpperCase(), path, each] as [string, string, OperationObject],
      ),
  )

const resolve = (document: Json, reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, name) => (value as Json | undefined)?.[name], document)

function referencesIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' && typeof member === 'string' ? [member] : referencesIn(member),
  )
}

suite('the OpenAPI document of one operation', () => {
  const document = openapiDocument([small], { tags: { Things: 'All things.' } })
  const [[method, path, thing]] = methodsOf(document) as [[string, string, OperationObject]]

  test('states its path, its callers and their permissions', () => {
    assert.deepEqual([method, path], ['POST', '/workspaces/{id}/things'])
    assert.deepEqual(document.servers, [{ url: '/api/v1' }])
    assert.deepEqual(document.tags, [{ name: 'Things', description: 'All things.' }])
    assert.deepEqual(thing.security, [{ Bearer: [] }, { ApiKeyAuth: [] }, { ApiKeyBearer: [] }])
    assert.equal(thing['x-permission'], 'workspace.write')
    assert.match(thing.description, /`workspace\.write`.*owner, admin, platform keys/)
  })

  test('lists path, query and headers', () => {
    const [id, limit, key] = thing.parameters as [Json, Json, Json]
    assert.deepEqual([id.name, id.in, id.required], ['id', 'path', true])
    assert.match(id.example as string, new RegExp((id.schema as { pattern: string }).pattern))
    assert.deepEqual(limit, {
      name: 'limit',
      in: 'query',
      required: false,
      description: 'Most.',
      schema: { type: 'integer', minimum: 1 },
    })
    assert.deepEqual(key, { $ref: '#/components/parameters/IdempotencyKey' })
  })

  test('closes the body as the service does, and names bodies', () => {
    const { schema, example } = thing.requestBody?.content['application/json'] ?? {}
    assert.deepEqual(schema, { $ref: '#/components/schemas/CreateThing' })
    assert.deepEqual(resolve(document, '#/components/schemas/CreateThing'), {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: { name: { type: 'string' }, kind: { type: 'string', enum: ['a', 'b'] } },
    })
    assert.deepEqual(example, { name: 'x' })
    const { content } = thing.responses['201'] as { content: Json }
    assert.deepEqual(content, {
      'application/json': { schema: { $ref: '#/components/schemas/Thing' } },
    })
  })

  test('has every failure under its status, those of the way to it included', () => {
    assert.deepEqual(Object.keys(thing.responses), [
      '201',
      '400',
      '401',
      '403',
      '404',
      '408',
      '409',
      '413',
      '415',
      '417',
      '421',
      '422',
      '429',
      '431',
      '500',
      '503',
    ])
    const conflict = resolve(document, (thing.responses['409'] as { $ref: string }).$ref) as Json
    assert.match(conflict.description as string, /`idempotency_in_progress`.*\n.*`slug_taken`/)
    assert.match(JSON.stringify(conflict), /"enum":\["idempotency_in_progress","slug_taken"\]/)
  })

  test('names the origin from the configuration', () => {
    const { servers } = openapiDocument([small], { origin: 'https://example.org' })
    assert.deepEqual(servers, [{ url: 'https://example.org/api/v1' }])
  })

  test('names the response of an operation that has no name itself', () => {
    const returns = { 201: Type.Object({ id: Type.String() }) }
    const unnamed = openapiDocument([{ ...small, returns }])
    const [[, , { responses }]] = methodsOf(unnamed) as [[string, string, OperationObject]]
    const { content } = responses['201'] as { content: Json }
    assert.deepEqual(content, {
      'application/json': { schema: { $ref: '#/components/schemas/CreateThingResult' } },
    })
  })

  test('two different shapes of one name are an error', () => {
    const other = {
      ...small,
      path: '/other',
      returns: { 200: Type.Object({}, { title: 'Thing' }) },
    }
    assert.throws(() => openapiDocument([small, other]), /two different schemas.*Thing/)
  })

  test('an operation without a summary is not in it', () => {
    const hidden = { ...small, path: '/hidden', summary: undefined }
    assert.deepEqual(openapiDocument([small, hidden]), openapiDocument([small]))
  })
})

suite('the OpenAPI document of the service', () => {
  const document = openapiDocument(operations, { tags })
  const all = methodsOf(document)

  test('is the same each time', () => {
    assert.equal(JSON.stringify(openapiDocument(operations, { tags })), JSON.stringify(document))
  })

  test('has exactly the operations that have a summary, each id once', () => {
    const listed = operations.filter(({ summary }) => summary !== undefined)
    const names = listed.map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    )
    assert.deepEqual(all.map(([method, path]) => `${method} ${path}`).sort(), names.sort())
    assert.equal(new Set(all.map(([, , { operationId }]) => operationId)).size, all.length)
  })

  test('describes each parameter of a query', () => {
    for (const [, , { operationId, parameters = [] }] of all) {
      for (const { name, in: place, description } of parameters) {
        const said = `${operationId}: ${String(name)}`
        if (place === 'query') assert.equal(typeof description, 'string', said)
      }
    }
  })

  test('has no broken reference, and no unused component', () => {
    const references = new Set(referencesIn(document))
    for (const reference of references) {
      assert.notEqual(resolve(document, reference), undefined, reference)
    }
    const components = document.components as Record<string, Json>
    for (const kind of ['schemas', 'responses', 'examples', 'parameters', 'headers']) {
      for (const name of Object.keys(components[kind] ?? {})) {
        assert.ok(references.has(`#/components/${kind}/${name}`), `${kind} ${name}`)
      }
    }
  })

  test('names components as programs may name types', () => {
    const { schemas, responses } = document.components as Record<string, Json>
    for (const name of Object.keys({ ...schemas, ...responses })) {
      assert.match(name, /^[A-Z][A-Za-z0-9]*$/)
    }
    const long = Object.keys(responses ?? {}).filter((name) => name.length > 55)
    assert.deepEqual(long, [])
  })

  test('has no body that a client generator has to name itself', () => {
    for (const [, , { operationId, requestBody, responses }] of all) {
      const bodies = [requestBody ?? {}, ...Object.values(responses)] as { content?: Json }[]
      for (const { content = {} } of bodies) {
        for (const { schema } of Object.values(content) as { schema: Json }[]) {
          assert.ok(schema.type === 'string' || '$ref' in schema, operationId)
        }
      }
    }
  })

  test('has words for every heading, and no words for another', () => {
    const documented = operations.filter(({ summary }) => summary !== undefined)
    const headings = new Set(documented.map(({ tag }) => tag))
    assert.deepEqual(Object.keys(tags).sort(), [...headings].sort())
  })

  test('gives an example of every body, and each example fits', () => {
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    ajv.addSchema({ $id: 'document', ...document })
    for (const [method, path, { requestBody }] of all) {
      for (const { schema, example } of Object.values(requestBody?.content ?? {})) {
        assert.notEqual(example, undefined, `${method} ${path} has no example`)
        const text = JSON.stringify(schema).replaceAll('"#/', '"document#/')
        const validate = ajv.compile(JSON.parse(text) as Json)
        assert.ok(validate(example), `${method} ${path}: ${ajv.errorsText(validate.errors)}`)
      }
    }
  })

  test('names exactly the codes that an operation declares, under the status of the code', () => {
    for (const each of operations.filter(({ summary }) => summary !== undefined)) {
      const { responses } = all.find(([, , { operationId }]) => operationId === each.id)?.[2] ?? {}
      const byStatus = Map.groupBy(failureCodesOf(each).sort(), (code) => catalogue[code].status)
      for (const [status, codes] of byStatus) {
        const { $ref } = (responses?.[status] ?? {}) as { $ref?: string }
        const response = resolve(document, $ref ?? '#/nowhere') as Json | undefined
        const said = `"enum":${JSON.stringify(codes)}`
        assert.ok(JSON.stringify(response ?? {}).includes(said), `${each.id}: ${said}`)
      }
    }
  })

  test('states the roles of each permission, as the table does', () => {
    const held = document['x-roles'] as Record<string, { roles: string[]; platform_keys: boolean }>
    assert.deepEqual(Object.keys(held), Object.keys(permissions))
    for (const [name, { roles, platform_keys }] of Object.entries(held)) {
      const row = permissions[name as Permission]
      assert.deepEqual([roles, platform_keys], [row.roles, row.platformKey], name)
    }
  })

  test('an operation names the permissions that it needs, and those that it may need', () => {
    for (const [, path, each] of all) {
      const found = operations.find(({ id }) => id === each.operationId)
      assert.equal(each['x-permission'], found?.permission, path)
      assert.deepEqual(each['x-also-needs'] ?? [], found?.alsoNeeds, path)
    }
  })
})
