/** Where a browser is led, and which documents of the console may load script of others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { type ConsoleFile, type ConsoleFiles, serveConsole } from '../../src/app/console-pages.ts'
import { StaticContent } from '../../src/platform/http/static-content.ts'
import { routesOfConsole } from '../support/console-places.ts'

const documentOf = (text: string): ConsoleFile => ({
  content: new StaticContent('text/html; charset=utf-8', Buffer.from(text), undefined),
  cache: 'no-cache',
  isDocument: true,
})

const files = new Map([
  ['index.html', documentOf('the console')],
  ['pay.html', documentOf('the payment')],
])

function server(takesCards: boolean) {
  const app = fastify()
  serveConsole(files, takesCards)(app)
  return async (path: string, host = 'mooring.example.com:8443') => {
    const { body, headers } = await app.inject({ url: `/console${path}`, headers: { host } })
    return {
      body,
      windows: headers['cross-origin-opener-policy'],
      policy: String(headers['content-security-policy']),
    }
  }
}

const directiveOf = (policy: string, name: string): string =>
  policy.split('; ').find((each) => each.startsWith(`${name} `)) ?? ''

const PAYMENTS = ['/pay/method', '/pay/invoice', '/pay/top-up']

/** As a browser asks for a document. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

test('a browser is led to the console, or to the reference; programs find nothing', async () => {
  const ask = (present: ConsoleFiles) => {
    const app = fastify()
    serveConsole(present, false)(app)
    return async (url: string, accept: string): Promise<unknown[]> => {
      const { statusCode, headers } = await app.inject({ url, headers: { accept } })
      return [statusCode, headers.location]
    }
  }
  const get = ask(files)
  assert.deepEqual(await get('/', BROWSER), [302, '/console/'])
  assert.deepEqual(await ask(new Map())('/', BROWSER), [404, undefined])
  for (const path of ['/api/v1', '/api/v1/']) {
    assert.deepEqual(await get(path, BROWSER), [302, '/api/v1/reference'])
  }
  for (const path of ['/', '/api/v1', '/api/v1/']) {
    assert.deepEqual(await get(path, 'application/json'), [404, undefined])
    assert.deepEqual(await get(path, '*/*'), [404, undefined])
  }
})

test('only the payment document names Stripe in its policy', async () => {
  const get = server(true)
  const routes = routesOfConsole().filter((path) => path !== '' && !PAYMENTS.includes(path))
  for (const path of ['/', '/index.html', '/pay.html', ...routes]) {
    const { body, policy } = await get(path)
    assert.equal(body, 'the console', path)
    assert.doesNotMatch(policy, /stripe|https?:/, path)
    assert.match(policy, /require-trusted-types-for 'script'/)
  }
  for (const path of PAYMENTS) {
    const { body, policy } = await get(path)
    assert.equal(body, 'the payment')
    assert.equal(
      directiveOf(policy, 'script-src'),
      "script-src 'self' https://js.stripe.com https://*.js.stripe.com",
    )
    assert.equal(
      directiveOf(policy, 'frame-src'),
      'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
    )
  }
})

test('no script of the payment document can use the session’s cookie', async () => {
  const { windows, policy } = await server(true)('/pay/method')
  assert.equal(
    directiveOf(policy, 'connect-src'),
    'connect-src mooring.example.com:8443/api/v1/ ' +
      'mooring.example.com:8443/console/api/config https://api.stripe.com',
  )
  for (const name of ['worker-src', 'form-action', 'frame-ancestors', 'base-uri', 'default-src']) {
    assert.equal(directiveOf(policy, name), `${name} 'none'`)
  }
  assert.equal(windows, 'noopener-allow-popups')
})

test('a host that no policy can name gets a document that makes no calls', async () => {
  for (const host of ['[::1]:8080', "evil' *", 'a;script-src *']) {
    const { policy } = await server(true)('/pay/method', host)
    assert.equal(directiveOf(policy, 'connect-src'), "connect-src 'none'", host)
    assert.equal(policy.match(/script-src/g)?.length, 1)
  }
})

test('where Stripe is not configured, no document names it', async () => {
  for (const path of PAYMENTS) {
    const { body, policy } = await server(false)(path)
    assert.equal(body, 'the payment')
    assert.doesNotMatch(policy, /stripe/)
  }
})
