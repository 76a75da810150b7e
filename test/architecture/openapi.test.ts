/** The reference promises what the service does: every response has the shape that it documents. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { openapiDocument } from '../../src/platform/http/openapi.ts'
import { createReference } from '../../src/platform/http/reference.ts'
import { operations, tags } from '../../src/operations.ts'
import type { Headers } from '../support/app.ts'
import { callByExample } from '../support/examples.ts'
import { secondServer } from '../support/second-server.ts'
import { seedWorkspace } from '../support/seed.ts'
import { useApp } from '../support/suite-app.ts'
import { seedTenant, type Tenant } from '../support/tenants.ts'

type AnyOperation = (typeof operations)[number]
type Json = Record<string, unknown>

interface Response {
  content?: Record<string, { schema: Json }>
  headers?: Json
}
interface Document {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Json> }>>
  components: { responses: Record<string, Response> }
}

const document = openapiDocument(operations, { tags }) as unknown as Document
const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }))
ajv.addSchema(document, 'openapi')

const pathIn = ({ path }: AnyOperation): string => path.replaceAll(/:([a-z_]+)/g, '{$1}')

/** Where a response stands in the document, following one reference. */
function responseOf(operation: AnyOperation, status: string): [string, Response] | undefined {
  const method = operation.method.toLowerCase()
  const found = document.paths[pathIn(operation)]?.[method]?.responses[status]
  if (found === undefined) return undefined
  const reference = found.$ref as string | undefined
  if (reference !== undefined) {
    const name = reference.split('/').at(-1) as string
    return [reference.slice(1), document.components.responses[name] as Response]
  }
  const escaped = pathIn(operation).replaceAll('~', '~0').replaceAll('/', '~1')
  return [`/paths/${escaped}/${method}/responses/${status}`, found]
}

test('every response has a shape, or has no body', () => {
  for (const operation of operations) {
    const responses = document.paths[pathIn(operation)]?.[operation.method.toLowerCase()]?.responses
    for (const status of Object.keys(responses ?? {})) {
      const [, { content = {} }] = responseOf(operation, status) as [string, Response]
      const shapes = Object.values(content).map(({ schema }) => schema)
      const isBare = status === '304' || operation.returns[Number(status)] === null
      const isValid = Number(status) < 300
      if (status === '304') assert.equal(operation.method, 'GET')
      const { stream, live, document: paper } = operation
      const more = [live, paper].filter((form) => form !== undefined).length
      const forms = (stream?.formats.length ?? 1) + more
      assert.equal(shapes.length, isBare ? 0 : isValid ? forms : 1, `${operation.id} ${status}`)
      assert.ok(
        shapes.every((schema) => Object.keys(schema).length > 0),
        operation.id,
      )
    }
  }
})

describe('the reference and the service', () => {
  const get = useApp()

  let unchanged: Promise<Tenant> | undefined

  const newTenant = async (): Promise<Tenant> => seedTenant(get(), await seedWorkspace(get().app))

  const newTenantOnce = (): Promise<Tenant> => (unchanged ??= newTenant())

  /** Reading requests are sent to one tenant; each changing request has a tenant of its own. */
  async function callOperation(operation: AnyOperation) {
    if (operation.method !== 'GET') return callByExample(get(), operation, await newTenant())
    return callByExample(get(), operation, await newTenantOnce())
  }

  /** A message that a client has is not sent to it again. */
  async function assertKnown(operation: AnyOperation, etag = '', tries = 5): Promise<void> {
    const more = { 'if-none-match': `"0", W/${etag}` }
    const again = await callByExample(get(), operation, await newTenantOnce(), undefined, more)
    // The reported last use may have changed by the first call.
    if (again.status === 200 && tries > 0 && again.headers.etag !== etag) {
      return assertKnown(operation, again.headers.etag, tries - 1)
    }
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag])
    assert.equal(again.headers['content-type'], undefined)
  }

  const succeeded = new Set<string>()

  for (const operation of operations) {
    if (operation.summary === undefined) continue
    test(`${operation.id} answers as it is documented`, async () => {
      const { status, headers, text } = await callOperation(operation)
      const said = `${operation.id}: ${status} ${text}`
      const found = responseOf(operation, String(status))
      assert.ok(found !== undefined, `not documented: ${said}`)
      const [place, { content, headers: promised = {} }] = found
      if (status < 300) succeeded.add(operation.id)
      for (const name of ['ETag', 'Location', 'X-Request-Id', 'WWW-Authenticate']) {
        if (headers[name.toLowerCase()] !== undefined)
          assert.ok(name in promised, `${name}: ${said}`)
      }
      if (content === undefined) return assert.equal(text, '', said)
      const [type = ''] = (headers['content-type'] ?? '').split(';')
      assert.ok(type in content, `${type}: ${said}`)
      const escaped = type.replaceAll('/', '~1')
      if (status === 201) {
        assert.equal('Location' in promised, headers.location !== undefined, `Location: ${said}`)
      }
      if (operation.method === 'GET' && status === 200) {
        assert.equal('ETag' in promised, headers.etag !== undefined, `ETag: ${said}`)
        if (headers.etag !== undefined) await assertKnown(operation, headers.etag)
      }
      const isRight = ajv.compile({ $ref: `openapi#${place}/content/${escaped}/schema` })
      const lines = type.includes('ndjson') ? text.split('\n').filter(Boolean) : [text]
      for (const line of lines) {
        assert.ok(isRight(JSON.parse(line)), `${said}: ${ajv.errorsText(isRight.errors)}`)
      }
    })
  }

  test('most operations were seen to succeed, so the law is not blind', () => {
    const documented = operations.filter(({ summary }) => summary !== undefined)
    assert.ok(succeeded.size > documented.length * 0.7, [...succeeded].join(' '))
  })

  test('an operation without a summary works, and is not in the API reference', async () => {
    const app = get()
    const { callers } = await newTenant()
    const hidden = operations
      .filter(({ id }) => id === 'getMe' || id === 'listWorkspaces')
      .map((operation) =>
        operation.id === 'getMe' ? { ...operation, summary: undefined } : operation,
      )
    const server = secondServer(app, hidden, { plugins: [createReference(hidden, tags)] })
    const works = await server.inject({
      url: '/api/v1/auth/me',
      headers: callers.user[0] as Headers,
    })
    const refused = await server.inject({ url: '/api/v1/auth/me' })
    const { body } = await server.inject({ url: '/api/v1/openapi.json' })
    await server.close()
    assert.equal(works.statusCode, 200)
    assert.equal(refused.statusCode, 401)
    assert.ok(body.includes('listWorkspaces'))
    assert.ok(!body.includes('getMe') && !body.includes('/auth/me'), body)
  })
})
