/**
 * Responses of a path to HEAD, OPTIONS and methods that it lacks, and of paths that nearly exist.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { operations as all } from '../../../src/operations.ts'
import { BASE_PATH } from '../../../src/platform/http/operation.ts'
import type { Headers } from '../../support/app.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { useApp } from '../../support/suite-app.ts'
import { idOf, seedTenant, type Tenant } from '../../support/tenants.ts'

// Unknown methods of other paths lead to the console, whose pages answer any path below theirs.
const operations = all.filter(({ base }) => base === BASE_PATH)

describe('the methods of a path', () => {
  const get = useApp()
  let own: Tenant

  before(async () => {
    own = await seedTenant(get(), get().seed)
  })

  const pathOf = ({ path, params }: (typeof operations)[number]): string =>
    path.replaceAll(/:([a-z_]+)/g, (_whole, name: string) => idOf(own, params[name]?.prefix))

  test('HEAD responds as GET does, without the body, with the same access', async () => {
    const { call } = get()
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      const { access } = operation
      const [kind] = access === 'public' ? [] : access
      const as = kind === undefined ? {} : (own.callers[kind][0] as Headers)
      const path = pathOf(operation)
      const [head, whole] = [await call('HEAD', path, { as }), await call('GET', path, { as })]
      assert.equal(head.text, '', path)
      const seen = ({ status, headers }: typeof head) => [
        status,
        headers['content-type']?.split(';')[0],
        headers.vary,
      ]
      assert.deepEqual(seen(head), seen(whole), path)
      if (kind !== undefined) assert.equal((await call('HEAD', path)).status, 401, path)
    }
    const events = `/workspaces/${own.workspace.id}/events`
    const as = own.callers.user[0] as Headers
    const live = await call('HEAD', events, { as, headers: { accept: 'text/event-stream' } })
    assert.deepEqual([live.status, live.headers['content-type']], [200, 'text/event-stream'])
    assert.equal(live.headers['content-length'], undefined)
  })

  test('OPTIONS names the methods of a path, and a method that it lacks is refused so', async () => {
    const { call } = get()
    const methods = Map.groupBy(operations, pathOf)
    for (const [path, found] of methods) {
      const wanted = found.map(({ method }) => method as string)
      // Two paths may both fit, such as one with a word where the other one has an id.
      const asked = await call('OPTIONS', path)
      const allowed = (asked.headers.allow ?? '').split(', ')
      assert.equal(asked.status, 204, path)
      if (wanted.includes('GET')) wanted.push('HEAD')
      for (const method of [...wanted, 'OPTIONS']) assert.ok(allowed.includes(method), path)
      const lacking = ['PUT', 'DELETE', 'PATCH', 'GET'].find((each) => !allowed.includes(each))
      if (lacking === undefined) continue
      const refused = await call(lacking, path)
      assert.deepEqual([refused.status, refused.headers.allow], [405, asked.headers.allow], path)
      assert.ok(wanted.every((method) => refused.body.detail.includes(method)))
    }
    const { origin } = get()
    const other = await fetch(`${origin}/.well-known/jwks.json`, { method: 'POST' })
    assert.deepEqual([other.status, other.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
    for (const path of ['/none', '/.well-known/jwks-json', '/api/v1/workspaces//devices']) {
      assert.equal((await fetch(origin + path, { method: 'OPTIONS' })).status, 404, path)
    }
  })

  test('a path with a slight error gets the right one', async () => {
    const { origin, call, app } = get()
    const slash = await call('GET', '/workspaces/')
    assert.deepEqual(
      [slash.status, slash.body.detail],
      [404, 'There is no such route. A route exists without the slash at the end.'],
    )
    const short = await fetch(`${origin}/auth/login`, { method: 'POST' })
    const problem = (await short.json()) as { detail: string }
    assert.deepEqual(
      [short.status, problem.detail],
      [404, 'There is no such route. A route exists that begins with /api/v1.'],
    )
    for (const path of ['/', '/api/v1', '/api/v1/']) {
      const { detail: beginning } = (await (await fetch(origin + path)).json()) as typeof problem
      assert.match(beginning, /; the reference of the API is at \/api\/v1\/reference\.$/, path)
    }
    const bad = await sendRaw(app.ports.http, 'GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    assert.match(bad.text, /The path is not well-formed percent-encoded UTF-8/)
    const bare = await sendRaw(app.ports.http, 'GET / HTTP/9.9\r\n\r\n')
    assert.match(bare.requestId ?? '', /^req_/)
  })

  test('a name that is given twice in a query is said to be', async () => {
    const path = `/workspaces/${own.workspace.id}/devices?status=active&status=suspended`
    const { status, body } = await get().call('GET', path, { as: own.callers.user[0] as Headers })
    assert.deepEqual([status, body.detail], [400, '/query/status is given more than once.'])
  })
})
