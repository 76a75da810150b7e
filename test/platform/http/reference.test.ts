/** The reference as it is served: complete, and from this service alone. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { catalogue } from '../../../src/platform/errors/errors.ts'
import { openapiDocument } from '../../../src/platform/http/openapi.ts'
import { BASE_PATH } from '../../../src/platform/http/operation.ts'
import { createReference } from '../../../src/platform/http/reference.ts'
import { operations, tags } from '../../../src/operations.ts'
import { secondServer } from '../../support/second-server.ts'
import { useApp } from '../../support/suite-app.ts'

suite('the reference', () => {
  const get = useApp()

  test('the document is served as it is generated, to any page', async () => {
    const { status, headers, body } = await get().call('GET', '/openapi.json')
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.deepEqual(body, JSON.parse(JSON.stringify(openapiDocument(operations, { tags }))))
  })

  test('the page loads its program and the document from here, and may load from nowhere else', async () => {
    const app = get()
    const redirect = await app.call('GET', '/reference')
    assert.deepEqual([redirect.status, redirect.headers.location], [301, '/api/v1/reference/'])
    const { status, headers, text } = await app.call('GET', '/reference/')
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
    assert.equal(/(?:src|href)="(?:https?:)?\/\//.test(text), false)
    const policy = new Map(
      (headers['content-security-policy'] ?? '').split(';').map((directive) => {
        const [name = '', ...sources] = directive.trim().split(' ')
        return [name, sources]
      }),
    )
    const own = ["'none'", "'self'", "'unsafe-inline'", 'data:', 'blob:']
    assert.deepEqual(
      [...policy.values()].flat().filter((source) => !own.includes(source)),
      [],
    )
    assert.deepEqual(policy.get('default-src'), ["'none'"])
    assert.deepEqual(policy.get('script-src'), ["'self'"])

    const scripts = [...text.matchAll(/<script([^>]*)>([^<]*)/g)]
    assert.equal(scripts.length, 2)
    for (const [, attributes = '', inline] of scripts) {
      assert.match(attributes, /^ src="js\/\w+\.js"$/)
      assert.equal(inline, '')
    }
    const [, starts] = await Promise.all(
      scripts.map(async ([, attributes = '']) => {
        const script = await app.call('GET', `/reference/${attributes.slice(6, -1)}`)
        assert.equal(script.status, 200)
        assert.match(script.headers['content-type'] ?? '', /javascript/)
        return script
      }),
    )
    assert.match(starts?.text ?? '', /"url":"\/api\/v1\/openapi\.json"/)
    for (const off of ['withDefaultFonts', 'telemetry']) {
      assert.match(starts?.text ?? '', new RegExp(`"${off}":false`))
    }
    const program = await app.call('GET', '/reference/js/scalar.js')
    assert.match(program.headers['cache-control'] ?? '', /max-age=\d+/)
    assert.ok(program.text.length > 1_000_000)
  })

  test('all responses share one copy of large parts', async () => {
    const sent: unknown[] = []
    const watch = (fastify: FastifyInstance): void => {
      fastify.addHook('onSend', async (_request, _reply, payload) => void sent.push(payload))
    }
    const server = secondServer(get(), [], { plugins: [createReference(operations, tags), watch] })
    for (const path of ['/openapi.json', '/reference/js/scalar.js']) {
      for (let times = 0; times < 2; times += 1) {
        assert.equal((await server.inject(`${BASE_PATH}${path}`)).statusCode, 200)
      }
      const [first, second] = sent.splice(0)
      assert.ok(Buffer.isBuffer(first) && first === second, path)
    }
    await server.close()
  })

  test('every failure code has the page that its problems name', async () => {
    const app = get()
    for (const [code, { status: failureStatus }] of Object.entries(catalogue)) {
      const { status, headers, text } = await app.call('GET', `/errors/${code}`)
      assert.equal(status, 200, code)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.ok(text.includes(code) && text.includes(String(failureStatus)))
      assert.equal(/(?:src|href)="(?!\/api\/v1\/)/.test(text), false)
    }
    const problem = await app.call('GET', '/workspaces')
    const page = await fetch(problem.body.type)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /credential_missing/)
  })

  test('the list of failures links to all of them', async () => {
    const { text } = await get().call('GET', '/errors')
    for (const code of Object.keys(catalogue)) {
      assert.ok(text.includes(`href="/api/v1/errors/${code}"`), code)
    }
  })

  test('an unknown failure code has no page, whatever its name', async () => {
    for (const code of ['nope', 'toString', '__proto__', '%3Cscript%3E', 'SLUG_TAKEN']) {
      const { status, body } = await get().call('GET', `/errors/${code}`)
      assert.deepEqual([status, body.code], [404, 'not_found'], code)
    }
  })
})
