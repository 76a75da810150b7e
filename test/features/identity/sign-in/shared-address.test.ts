/** Many callers behind one address: no request of one of them stops the others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  issueRefreshToken,
  newSessionSalt,
} from '../../../../src/platform/access/refresh-tokens.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { person, signIn, tally } from '../../../support/sign-in.ts'

const environment = { MOORING_RATE_LIMITS: 'on', MOORING_TRUSTED_PROXIES: '127.0.0.1' }
const SHARED = { 'x-forwarded-for': '192.0.2.1' }
const PHONES = 25

const kinds = {
  console: {
    path: '/auth/refresh',
    open: async (app: TestApp): Promise<string> =>
      (await signIn(app, await person(app))).refresh_token,
  },
  moid: {
    path: '/moid/refresh',
    open: async (app: TestApp, index: number): Promise<string> => {
      const headers = { 'x-forwarded-for': `198.51.100.${index}` }
      const { body } = await app.call('POST', '/moid/session', { body: {}, headers })
      return body.refresh_token as string
    },
  },
} as const

for (const kind of ['console', 'moid'] as const) {
  const { path, open } = kinds[kind]
  const refresh = (app: TestApp, refreshToken: string) =>
    app.call('POST', path, { body: { refresh_token: refreshToken }, headers: SHARED })
  const guess = (app: TestApp): string =>
    issueRefreshToken(app.services.keyring, kind, newUuid(), newSessionSalt(), 1)

  test(`everyone at an address refreshes by ${path} while a guesser there floods`, async (t) => {
    const app = await startApp(t, { environment })
    const quiet = await app.sibling({ MOORING_RATE_LIMITS: 'off' })
    const tokens: string[] = []
    for (let index = 0; index < PHONES; index += 1) tokens.push(await open(quiet, index))
    const flood = await Promise.all(Array.from({ length: 150 }, () => refresh(app, guess(app))))
    assert.deepEqual(tally(flood), { 401: 100, 429: 50 })
    const refused = flood.find(({ status }) => status === 429)
    assert.equal(refused?.body.limit.name, 'failures')
    const both = await Promise.all([
      ...tokens.map((token) => refresh(app, token)),
      ...Array.from({ length: 50 }, () => refresh(app, guess(app))),
    ])
    assert.deepEqual(tally(both.slice(0, PHONES)), { 200: PHONES })
    assert.deepEqual(tally(both.slice(PHONES)), { 429: 50 })
    assert.match(both[0]?.headers['ratelimit-policy'] ?? '', /^"(auth|safety)";q=\d+;w=60$/)
  })
}

test('a session that refreshes too often waits, and no other one with it', async (t) => {
  const app = await startApp(t, { environment: { ...environment, MOORING_LIMIT_AUTH: '3' } })
  const quiet = await app.sibling({ MOORING_RATE_LIMITS: 'off' })
  const [eager, other] = [await kinds.console.open(quiet), await kinds.console.open(quiet)]
  const refresh = (token: string) =>
    app.call('POST', '/auth/refresh', { body: { refresh_token: token }, headers: SHARED })
  const responses = await Promise.all(Array.from({ length: 8 }, () => refresh(eager)))
  assert.deepEqual(tally(responses), { 200: 3, 429: 5 })
  assert.equal((await refresh(other)).status, 200)
})

test('a body that is larger than any token counts for the address before it is read', async (t) => {
  const app = await startApp(t, { environment: { ...environment, MOORING_LIMIT_AUTH: '2' } })
  const token = await kinds.console.open(await app.sibling({ MOORING_RATE_LIMITS: 'off' }))
  const refresh = (refreshToken: string) =>
    app.call('POST', '/auth/refresh', { body: { refresh_token: refreshToken }, headers: SHARED })
  const large = await Promise.all(Array.from({ length: 5 }, () => refresh('x'.repeat(20_000))))
  assert.deepEqual(tally(large), { 400: 2, 429: 3 })
  assert.equal((await refresh(token)).status, 200)
})

for (const [name, body] of [
  ['is malformed', '{'],
  ['lacks what is needed', '{}'],
] as const) {
  test(`a body that ${name} counts for the address`, async (t) => {
    const app = await startApp(t, { environment: { ...environment, MOORING_LIMIT_AUTH: '2' } })
    const send = () => app.call('POST', '/auth/login', { body, headers: SHARED })
    const responses = await Promise.all(Array.from({ length: 5 }, send))
    assert.deepEqual(tally(responses), { 400: 2, 429: 3 })
  })
}
