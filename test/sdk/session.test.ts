/** A session lasts longer than its access token, and the event feed is read without gaps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, MooringError } from '../../sdk/client.ts'
import { keepSession, type SessionTokens, tokensOf } from '../../sdk/session.ts'
import { newUuid } from '../../src/platform/lib/ids.ts'
import { useTenants } from '../support/suite-app.ts'
import { publish } from '../support/webhook-receiver.ts'

const freshTenants = useTenants()

/** The tokens of a phone, as they are when the access token has expired. */
async function expiredPhone(baseUrl: string): Promise<SessionTokens> {
  const issued = await createClient({ baseUrl }).call('startMoidSession')
  return { ...tokensOf(issued), expiresAt: 0 }
}

test('an expired access token is renewed once for concurrent calls, and stored before its use', async (t) => {
  const { origin: baseUrl } = await freshTenants(t)
  const tokens = await expiredPhone(baseUrl)
  const stored: SessionTokens[] = []
  const token = keepSession({
    baseUrl,
    kind: 'phone',
    tokens,
    onTokens: async (renewed) => {
      await new Promise((resolve) => setImmediate(resolve))
      stored.push(renewed)
    },
  })
  const phone = createClient({ baseUrl, token })
  const calls = [phone.call('getMoid'), phone.call('listMoidDevices'), phone.call('listClaims')]
  await Promise.all(calls)
  assert.equal(stored.length, 1)
  assert.notEqual(stored[0]?.refreshToken, tokens.refreshToken)
  assert.equal(await token(), stored[0]?.accessToken)
})

test('a token that is still valid is used as it is', async (t) => {
  const { origin: baseUrl } = await freshTenants(t)
  const tokens = tokensOf(await createClient({ baseUrl }).call('startMoidSession'))
  const token = keepSession({ baseUrl, kind: 'phone', tokens })
  assert.equal(await token(), tokens.accessToken)
})

test('the end of a session is the error of the call that needed it', async (t) => {
  const { origin: baseUrl } = await freshTenants(t)
  const tokens = await expiredPhone(baseUrl)
  const spent = keepSession({ baseUrl, tokens: { ...tokens, refreshToken: 'mort_x' } })
  const client = createClient({ baseUrl, token: spent })
  await assert.rejects(
    client.call('getMe'),
    (error) => error instanceof MooringError && error.code === 'refresh_token_rejected',
  )
})

test('the feed yields every event in order with its cursor, and waits for the next', async (t) => {
  const app = await freshTenants(t)
  const client = createClient({ baseUrl: app.origin, apiKey: app.seed.platformKey })
  const device = newUuid()
  await publish(
    app,
    [1, 2, 3].map((n) => ({ device, n })),
  )
  const seen: unknown[] = []
  let cursor: string | undefined
  const input = { params: { id: app.seed.id }, query: { types: 'device.*', limit: 2 } }
  for await (const batch of client.feed(input)) {
    cursor = batch.cursor
    for (const { data } of batch.events) if (data['n'] !== undefined) seen.push(data['n'])
    if (seen.length >= 3) break
  }
  assert.deepEqual(seen, [1, 2, 3])

  const controller = new AbortController()
  const after = {
    ...input,
    query: { ...input.query, after: cursor ?? '' },
    signal: controller.signal,
  }
  const next = client.feed(after)
  const waiting = next.next()
  await publish(app, [{ device, n: 4 }])
  const { value } = await waiting
  assert.deepEqual(
    value?.events.map(({ data }) => data['n']),
    [4],
  )
  const reason = new Error('the program ends')
  const pending = next.next()
  controller.abort(reason)
  await assert.rejects(pending, reason)
})
