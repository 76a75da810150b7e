/**
 * The limits of mobile identities without a device: by address, and in a workspace as a whole. An
 * identity that holds a device is stopped by none of it.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as, type CallResult, startApp, type TestApp } from '../../../support/app.ts'
import { newDevice, newPhone, openClaim, statuses } from '../../../support/phones-and-devices.ts'

const on = { MOORING_RATE_LIMITS: 'on', MOORING_TRUSTED_PROXIES: '127.0.0.1' }

const address = (index: number): string => `198.51.100.${index + 1}`

const openSession = ({ call }: TestApp, from: string, workspaceId?: string): Promise<CallResult> =>
  call('POST', '/moid/session', {
    headers: { 'x-forwarded-for': from },
    body: workspaceId === undefined ? {} : { workspace_id: workspaceId },
  })

const callAs =
  ({ call }: TestApp, token: string, from: string) =>
  (method: string, path: string, body?: unknown): Promise<CallResult> =>
    call(method, path, {
      as: as.phone(token),
      headers: { 'x-forwarded-for': from },
      ...(body !== undefined && { body }),
    })

/** A 429 that names the limit, and says when to come again. */
function assertLimited({ status, headers, body }: CallResult, name: string, value: number): void {
  assert.deepEqual([status, body.code], [429, 'rate_limited'], JSON.stringify(body))
  const wait = Number(headers['retry-after'])
  assert.ok(wait >= 1 && wait <= 3_600)
  assert.deepEqual(body.limit, { name, value, reset_seconds: wait })
  assert.match(headers['ratelimit-policy'] ?? '', new RegExp(`^"${name}";q=${value};w=\\d+$`))
  assert.match(headers.ratelimit ?? '', new RegExp(`^"${name}";r=0;t=\\d+$`))
}

describe('mobile identities without a device', () => {
  test('open so many sessions from one address, and so many in a workspace', async (t) => {
    const app = await startApp(t, {
      environment: {
        ...on,
        MOORING_LIMIT_MOID_SESSIONS: '2',
        MOORING_LIMIT_MOID_SESSIONS_OF_WORKSPACE: '5',
      },
    })
    const { id, other } = app.seed
    const flood = await Promise.all(
      Array.from({ length: 6 }, () => openSession(app, address(0), id)),
    )
    assert.deepEqual(statuses(flood), { 201: 2, 429: 4 })
    assertLimited(flood.find(({ status }) => status === 429) as CallResult, 'moid_sessions', 2)
    // Refusals to one address used up nothing of the whole.
    for (const index of [1, 2, 3]) {
      assert.equal((await openSession(app, address(index), id)).status, 201)
    }
    assertLimited(await openSession(app, address(4), id), 'moid_sessions_of_workspace', 5)
    assert.equal((await openSession(app, address(4), other.id)).status, 201)
    assert.equal((await openSession(app, address(4))).status, 201, 'a global session is accepted')
    for (const index of [10, 11, 12, 13, 14, 15]) {
      const global = await openSession(app, address(index))
      assert.equal(global.status, 201, 'global sessions have no common limit')
    }
  })

  test('of IPv6 are counted by networks', async (t) => {
    const app = await startApp(t, { environment: { ...on, MOORING_LIMIT_MOID_SESSIONS: '1' } })
    const responses: number[] = []
    for (const from of ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '2001:db8:0:2::1']) {
      responses.push((await openSession(app, from, app.seed.id)).status)
    }
    assert.deepEqual(responses, [201, 429, 201, 429], 'the /56 has twice the limit')
  })

  test('start so many claims, also through global sessions', async (t) => {
    const app = await startApp(t, {
      environment: {
        ...on,
        MOORING_LIMIT_MOID_CLAIMS: '2',
        MOORING_LIMIT_MOID_CLAIMS_OF_WORKSPACE: '3',
      },
    })
    const { id, other } = app.seed
    const [locked, global] = [await newPhone(app, id), await newPhone(app)]
    const claim = (token: string, from: string, workspaceId = id) =>
      callAs(app, token, from)('POST', '/moid/claims', { workspace_id: workspaceId })
    assert.equal((await claim(locked.token, address(0))).status, 201)
    assert.equal((await claim(global.token, address(0))).status, 201)
    assertLimited(await claim(global.token, address(0)), 'moid_claims', 2)
    assert.equal((await claim(global.token, address(1))).status, 201)
    assertLimited(await claim(locked.token, address(2)), 'moid_claims_of_workspace', 3)
    assert.equal((await claim(global.token, address(0), other.id)).status, 201)
  })

  test('share the calls of their address, however many they are', async (t) => {
    const app = await startApp(t, { environment: { ...on, MOORING_LIMIT_READ: '5' } })
    const phones = await Promise.all([1, 2, 3].map(() => newPhone(app, app.seed.id)))
    const responses = await Promise.all(
      phones.flatMap(({ token }) =>
        Array.from({ length: 3 }, () => callAs(app, token, address(0))('GET', '/moid/me')),
      ),
    )
    assert.deepEqual(statuses(responses), { 200: 5, 429: 4 })
    assertLimited(responses.find(({ status }) => status === 429) as CallResult, 'read', 5)
    const [first] = phones as [(typeof phones)[number]]
    assert.equal((await callAs(app, first.token, address(1))('GET', '/moid/me')).status, 200)
    const ended = await callAs(app, first.token, address(0))('DELETE', '/moid/session')
    assert.equal(ended.status, 204, 'ending a session has a budget of its own')
  })
})

test('a phone that holds a device continues while a flood has used up every limit', async (t) => {
  const app = await startApp(t, {
    environment: {
      ...on,
      MOORING_LIMIT_MOID_SESSIONS_OF_WORKSPACE: '4',
      MOORING_LIMIT_MOID_CLAIMS_OF_WORKSPACE: '4',
      MOORING_LIMIT_MOID_CALLS_OF_WORKSPACE: '20',
      MOORING_LIMIT_READ: '15',
    },
  })
  const { id } = app.seed
  const [owner, device] = [await newPhone(app, id), await newDevice(app)]
  await device.bind((await openClaim(app, owner)).code)
  const flooders = await Promise.all([1, 2].map((index) => openSession(app, address(index), id)))
  const refused: string[] = []
  const flood = async (from: string): Promise<void> => {
    for (const { body } of flooders) {
      const call = callAs(app, body.access_token, from)
      for (const response of [
        await openSession(app, from, id),
        await call('POST', '/moid/claims', {}),
        await call('GET', '/moid/me'),
        await call('GET', '/moid/devices'),
      ]) {
        if (response.status === 429) refused.push(response.body.limit.name)
      }
    }
  }
  for (let index = 0; index < 6; index += 1) await flood(address(index))
  // From the same address as the flood.
  for (let index = 0; index < 12; index += 1) await flood('127.0.0.1')
  assert.deepEqual(
    [...new Set(refused)].sort(),
    [
      'auth',
      'moid_calls_of_workspace',
      'moid_claims_of_workspace',
      'moid_sessions_of_workspace',
      'read',
    ],
    'the flood meets every limit',
  )
  for (let call = 0; call < 3; call += 1) {
    assert.equal((await owner.call('GET', '/moid/devices')).status, 200)
    assert.equal((await owner.call('POST', '/moid/claims', {})).status, 201)
  }
  const refreshed = await app.call('POST', '/moid/refresh', {
    body: { refresh_token: owner.refreshToken },
  })
  assert.equal(refreshed.status, 200)
})
