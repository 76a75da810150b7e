/** Rate limits: buckets by caller, counted together by processes that share a database. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { issueSecret, PLATFORM_KEY_PREFIX } from '../../../src/platform/lib/secrets.ts'
import { as, startApp, type TestApp } from '../../support/app.ts'

const on = { MOORING_RATE_LIMITS: 'on' }

const read = ({ call, seed }: TestApp, key = seed.platformKey) =>
  call('GET', `/workspaces/${seed.id}`, { as: as.platformKey(key) })

const statuses = (responses: readonly { status: number }[]): Record<number, number> => {
  const counted: Record<number, number> = {}
  for (const { status } of responses) counted[status] = (counted[status] ?? 0) + 1
  return counted
}

describe('rate limits', () => {
  for (const store of ['memory', 'database']) {
    test(`the request beyond the limit gets the time of the next one in ${store}`, async (t) => {
      const app = await startApp(t, {
        environment: { ...on, MOORING_RATE_LIMIT_STORE: store, MOORING_LIMIT_READ: '5' },
      })
      const responses = await Promise.all(Array.from({ length: 9 }, () => read(app)))
      assert.deepEqual(statuses(responses), { 200: 5, 429: 4 })
      const good = responses.find(({ status }) => status === 200)
      assert.equal(good?.headers['ratelimit-policy'], '"read";q=5;w=60')
      assert.match(good?.headers.ratelimit ?? '', /^"read";r=\d+;t=\d+$/)
      assert.equal(good?.headers['x-ratelimit-limit'], '5')
      const refused = responses.find(({ status }) => status === 429)
      const wait = Number(refused?.headers['retry-after'])
      assert.ok(wait >= 1 && wait <= 60)
      assert.deepEqual(refused?.body.limit, { name: 'read', value: 5, reset_seconds: wait })
      const other = await read(app, app.seed.other.platformKey)
      assert.equal(other.status, 404, 'another caller has a bucket of its own')
    })
  }

  describe('unauthenticated callers', () => {
    const environment = { ...on, MOORING_LIMIT_AUTH: '2', MOORING_TRUSTED_PROXIES: '127.0.0.1' }
    const from = ({ call }: TestApp, address: string) =>
      call('POST', '/moid/session', { headers: { 'x-forwarded-for': address }, body: {} })
    const statusesOf = async (app: TestApp, addresses: readonly string[]): Promise<number[]> => {
      const responses: number[] = []
      for (const address of addresses) responses.push((await from(app, address)).status)
      return responses
    }

    test('are counted by address, or by network where it is IPv6', async (t) => {
      const app = await startApp(t, { environment })
      const same = ['2001:db8::1', '2001:db8::ffff:2', '2001:db8:0:0:9::']
      assert.deepEqual(await statusesOf(app, [...same, '2001:db8:1::1']), [201, 201, 429, 201])
    })

    for (const store of ['memory', 'database']) {
      test(`256 networks of one customer have twice the limit of one in ${store}`, async (t) => {
        const app = await startApp(t, {
          environment: { ...environment, MOORING_RATE_LIMIT_STORE: store },
        })
        const networks = Array.from({ length: 40 }, (_, network) =>
          from(app, `2001:db8:0:${(0x100 + network).toString(16)}::1`),
        )
        assert.deepEqual(statuses(await Promise.all(networks)), { 201: 4, 429: 36 })
        const wider = Array.from({ length: 40 }, (_, network) =>
          from(app, `2001:db8:0:${(0x200 + network * 0x100).toString(16)}::1`),
        )
        assert.deepEqual(statuses(await Promise.all(wider)), { 201: 4, 429: 36 })
        assert.equal((await from(app, '2001:db8:1::1')).status, 201, 'another site')
      })
    }

    test('use up nothing of their neighbours by refused requests', async (t) => {
      const app = await startApp(t, { environment })
      await statusesOf(app, Array<string>(20).fill('2001:db8:0:100::1'))
      assert.deepEqual(
        await statusesOf(app, ['2001:db8:0:101::1', '2001:db8:0:101::2']),
        [201, 201],
      )
    })
  })

  test('two processes on one database count together', async (t) => {
    const environment = { ...on, MOORING_RATE_LIMIT_STORE: 'database', MOORING_LIMIT_READ: '10' }
    const one = await startApp(t, { environment })
    const two = await one.sibling()
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => read(index % 2 ? one : two)),
    )
    assert.deepEqual(statuses(responses), { 200: 10, 429: 20 })
  })

  for (const prepared of ['on', 'off']) {
    test(`the counters' statements have names if they may, with ${prepared}`, async (t) => {
      const app = await startApp(t, {
        environment: {
          ...on,
          MOORING_RATE_LIMIT_STORE: 'database',
          MOORING_DATABASE_PREPARED: prepared,
        },
      })
      assert.equal((await read(app)).status, 200)
      const { rows } = await app.database.counters.query('SELECT FROM pg_prepared_statements')
      assert.equal(rows.length > 0, prepared === 'on')
    })
  }

  test('operations that protect accounts work when every other bucket is empty', async (t) => {
    const app = await startApp(t, {
      environment: { ...on, MOORING_LIMIT_READ: '1', MOORING_LIMIT_WRITE: '1' },
    })
    const { call, seed } = app
    const user = as.user(seed.owner.token)
    const keys = `/workspaces/${seed.id}/api-keys`
    const { body: key } = await call('POST', keys, { as: user, body: { key_kind: 'platform' } })
    const second = await call('POST', keys, { as: user, body: { key_kind: 'platform' } })
    assert.equal(second.status, 429)
    const revoked = await call('DELETE', `${keys}/${key.id}`, { as: user })
    assert.equal(revoked.status, 204)
    const device = await call('POST', '/provision/device', {
      as: as.factory(seed.provisionKey),
      body: { template_id: seed.template.id },
    })
    const rotated = await call('POST', '/devices/auth/credentials/rotate', {
      as: as.device(device.body.device_http_token),
    })
    assert.equal(rotated.status, 200)
  })

  test('guessing is limited by its failures; a valid key from the same address continues', async (t) => {
    const app = await startApp(t, { environment: on })
    const guesses = await Promise.all(
      Array.from({ length: 130 }, () => read(app, issueSecret(PLATFORM_KEY_PREFIX))),
    )
    assert.deepEqual(statuses(guesses), { 401: 100, 429: 30 })
    assert.equal((await read(app)).status, 200)
  })

  test('a provision key has the rate that it was made with', async (t) => {
    const { call, seed } = await startApp(t, { environment: on })
    const { body: key } = await call('POST', `/workspaces/${seed.id}/api-keys`, {
      as: as.platformKey(seed.platformKey),
      body: { key_kind: 'provision', rate_per_min: 3 },
    })
    const responses = await Promise.all(
      Array.from({ length: 5 }, () =>
        call('GET', '/provision/device-templates', { as: as.factory(key.key) }),
      ),
    )
    assert.deepEqual(statuses(responses), { 200: 3, 429: 2 })
    const refused = responses.filter(({ status }) => status === 429)
    assert.deepEqual([...new Set(refused.map(({ body }) => body.rule))], ['rate_per_min'])
  })

  test('a forged X-Forwarded-For changes nobody’s address', async (t) => {
    const { call } = await startApp(t, { environment: { ...on, MOORING_LIMIT_AUTH: '3' } })
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        call('POST', '/auth/login', {
          headers: { 'x-forwarded-for': `10.0.0.${index}`, forwarded: `for=10.0.0.${index}` },
          body: { email: `nobody${index}@example.com`, password: 'wrong wrong wrong' },
        }),
      ),
    )
    assert.deepEqual(statuses(responses), { 401: 3, 429: 3 })
  })
})
