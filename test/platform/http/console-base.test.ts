/** Operations of the console refuse pages of other origins, and write their cookies safely. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { operation } from '../../../src/context.ts'
import { CONSOLE_BASE } from '../../../src/platform/http/operation.ts'
import { respond } from '../../../src/platform/http/reply.ts'
import { secondServer, type ServiceOperations } from '../../support/second-server.ts'
import { useApp } from '../../support/suite-app.ts'

const Found = Type.Object({ found: Type.Optional(Type.String()) })

const definition = {
  base: CONSOLE_BASE,
  tag: 'Sign-in',
  access: 'public',
  idempotency: 'own',
  returns: { 200: Found },
  fails: [],
} as const

const probes = [
  operation({
    ...definition,
    id: 'readProbe',
    route: 'GET /probe',
    run: (context) => {
      const found = context.request.cookies?.read('probe')
      return Promise.resolve(respond(200, found === undefined ? {} : { found }))
    },
  }),
  operation({
    ...definition,
    id: 'writeProbe',
    route: 'POST /probe',
    run: (context) => {
      context.request.cookies?.set('probe', 'one', null)
      context.request.cookies?.set('lasting', 'two', 60)
      context.request.cookies?.clear('gone')
      return Promise.resolve(respond(200, {}))
    },
  }),
] as unknown as ServiceOperations

describe('the base of the console', () => {
  const get = useApp()
  let server: FastifyInstance

  before(async () => {
    const proxied = { trustedProxies: ['127.0.0.1'] }
    server = secondServer(get(), probes, proxied)
    await server.ready()
  })

  const send = (method: 'GET' | 'POST', headers: Record<string, string>) =>
    server.inject({
      method,
      url: `${CONSOLE_BASE}/probe`,
      headers: { host: 'mooring.test', ...headers },
    })

  test('without Sec-Fetch-Site the origin has to be that of the host', async () => {
    const statusOf = async (method: 'GET' | 'POST', origin?: string, more = {}) =>
      (await send(method, { ...(origin !== undefined && { origin }), ...more })).statusCode
    assert.equal(await statusOf('POST', 'http://mooring.test'), 200)
    const https = { 'x-forwarded-proto': 'https' }
    assert.equal(await statusOf('POST', 'https://mooring.test', https), 200)
    for (const method of ['GET', 'POST'] as const) {
      for (const origin of [
        'https://mooring.test',
        'http://mooring.test:8080',
        'http://other.mooring.test',
        'http://evil.test',
        'null',
        '',
      ]) {
        assert.equal(await statusOf(method, origin), 403, `${method} ${origin}`)
      }
    }
    assert.equal(await statusOf('POST', 'http://mooring.test', https), 403)
  })

  test('a change without an Origin is refused, a read is not', async () => {
    assert.equal((await send('POST', {})).statusCode, 403)
    assert.equal((await send('GET', {})).statusCode, 200)
  })

  test('Sec-Fetch-Site decides, whatever the origin is', async () => {
    const origin = 'http://mooring.test'
    const lying = await send('POST', { 'sec-fetch-site': 'cross-site', origin })
    assert.equal(lying.statusCode, 403)
    const same = await send('POST', { 'sec-fetch-site': 'same-origin' })
    assert.equal(same.statusCode, 200)
    assert.equal(same.headers['access-control-allow-origin'], undefined)
  })

  test('cookies are for the service alone, and end with the browser unless they are to last', async () => {
    const { headers } = await send('POST', { 'sec-fetch-site': 'same-origin' })
    assert.deepEqual(headers['set-cookie'], [
      'probe=one; Path=/console/api; HttpOnly; SameSite=Strict',
      'lasting=two; Path=/console/api; HttpOnly; SameSite=Strict; Max-Age=60',
      'gone=; Path=/console/api; HttpOnly; SameSite=Strict; Max-Age=0',
    ])
  })

  test('over HTTPS a cookie is sent over HTTPS only, and its name says so', async () => {
    const https = { 'sec-fetch-site': 'same-origin', 'x-forwarded-proto': 'https' }
    const { headers } = await send('POST', https)
    const [first] = headers['set-cookie'] as string[]
    assert.equal(first, '__Secure-probe=one; Path=/console/api; HttpOnly; SameSite=Strict; Secure')
    const read = async (cookie: string) =>
      (await send('GET', { ...https, cookie })).json<{ found?: string }>().found
    assert.equal(await read('__Secure-probe=a'), 'a')
    assert.equal(await read('probe=a'), undefined)
  })

  test('a cookie is found by its whole name, and two of one name are ignored', async () => {
    const read = async (cookie: string) =>
      (await send('GET', { cookie })).json<{ found?: string }>().found
    assert.equal(await read('a=1; probe=x=y; b=2'), 'x=y')
    assert.equal(await read('xprobe=1; probex=2; Probe=3; probe'), undefined)
    assert.equal(await read('probe=1; probe=2'), undefined)
    assert.equal(await read('probe='), undefined)
  })
})
