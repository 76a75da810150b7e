/** Strict-Transport-Security (RFC 6797): on every response over TLS, and on none without. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, startApp } from '../../support/app.ts'
import { freshName, useNamedTenants, verifiedDomain } from '../../support/domains.ts'
import { callHttps, tlsEnvironment } from '../../support/https.ts'

const HSTS = 'max-age=31536000'
const { environment, ca } = tlsEnvironment()
const { tenants, nameServer } = useNamedTenants(environment)

const paths = ['/workspaces', '/nowhere', '/auth/me', '/%ZZ']

test('every response of a listener with TLS makes browsers stay with it, for its host alone', async (t) => {
  const app = await tenants(t)
  const call = (path: string, host?: string) =>
    callHttps(app.url + path, ca, 'GET', {
      as: as.user(app.seed.owner.token),
      ...(host !== undefined && { host }),
    })
  for (const path of paths) {
    assert.equal((await call(path)).headers['strict-transport-security'], HSTS, path)
  }
  const tls = {
    ...app,
    call: (method: string, path: string, options = {}) =>
      callHttps(app.url + path, ca, method, options),
  }
  const { name } = await verifiedDomain(tls, nameServer(), app.seed, 'api', freshName())
  assert.equal((await call('/workspaces', name)).headers['strict-transport-security'], HSTS)
  const jwks = await callHttps(`${app.origin}/.well-known/jwks.json`, ca, 'GET')
  assert.deepEqual([jwks.status, jwks.headers['strict-transport-security']], [200, HSTS])
})

test('no response over plain HTTP has the header, whatever the client claims', async (t) => {
  const app = await startApp(t)
  for (const path of paths) {
    const { headers } = await app.call('GET', path, { headers: { 'x-forwarded-proto': 'https' } })
    assert.equal(headers['strict-transport-security'], undefined, path)
  }
})

test('behind a trusted proxy the header follows the protocol of the client', async (t) => {
  const app = await startApp(t, { environment: { MOORING_TRUSTED_PROXIES: '127.0.0.1' } })
  const through = async (protocol: string) => {
    const response = await app.call('GET', '/workspaces', {
      headers: { 'x-forwarded-proto': protocol },
    })
    return response.headers['strict-transport-security']
  }
  assert.equal(await through('https'), HSTS)
  assert.equal(await through('http'), undefined)
})
