/** Adding passkeys to an account: the rights, the limit, and the responses of a browser. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as } from '../../../support/app.ts'
import type { Faults } from '../../../support/authenticator.ts'
import { assertRefused, passkeysOf } from '../../../support/passkeys.ts'
import {
  codeOf,
  enrolled,
  logIn,
  movingClock,
  person,
  signIn,
  STEP_MS,
  verify,
} from '../../../support/sign-in.ts'
import { useApp } from '../../../support/suite-app.ts'

const FIVE_MINUTES = 300_000

const clock = movingClock()
const get = useApp({ clock })
const { consoleCall, device, creationOptions, add, withPasskey, passkeyOwner, open, opened, list } =
  passkeysOf(get)

describe('adding a passkey', () => {
  test('needs a response for this challenge, person, place and session', async () => {
    const someone = await person(get())
    const { access_token: token } = await signIn(get(), someone)
    const { access_token: other } = await signIn(get(), someone)
    const faults: Faults[] = [
      { origin: 'https://mooring.example.org' },
      { rpId: 'example.org' },
      { type: 'webauthn.get' },
      { unverified: true },
      { crossOrigin: true },
      { backedUp: true },
    ]
    for (const fault of faults) {
      const { body } = device().create(await creationOptions(token), fault)
      assertRefused(await add(token, body), 401, 'passkey_rejected')
    }
    const { body } = device().create(await creationOptions(token))
    assertRefused(await add(other, body), 401, 'passkey_rejected')
    assertRefused(await add(token, { ...body, attestation: 'AAAA' }), 401, 'passkey_rejected')
    assertRefused(await add(token, { ...body, id: 'AAAA' }), 401, 'passkey_rejected')
    const late = device().create(await creationOptions(token))
    clock.move(FIVE_MINUTES + 1)
    assertRefused(await add(token, late.body), 401, 'passkey_rejected')
    assert.deepEqual(await list(token), [])
  })

  test('with one response works once, however many callers there are', async () => {
    const { access_token: token } = await signIn(get(), await person(get()))
    const { body } = device().create(await creationOptions(token))
    const results = await Promise.all(Array.from({ length: 8 }, () => add(token, body)))
    assert.equal(results.filter(({ status }) => status === 201).length, 1)
    assert.equal((await list(token)).length, 1)
  })

  test('that another account has is refused', async () => {
    const one = await signIn(get(), await person(get()))
    const two = await signIn(get(), await person(get()))
    const { passkey, body } = device().create(await creationOptions(one.access_token))
    assert.equal((await add(one.access_token, body)).status, 201)
    const again = device().create(await creationOptions(two.access_token), { id: passkey.id })
    assertRefused(await add(two.access_token, again.body), 401, 'passkey_rejected')
    assert.deepEqual(await list(two.access_token), [])
  })

  test('ends at twenty, also for many at once', async () => {
    const { someone, passkey } = await passkeyOwner()
    const token = await opened(passkey)
    await get().database.pool.query(
      `INSERT INTO passkeys (id, user_id, credential_id, public_key, signatures, transports, name)
       SELECT gen_random_uuid(), $1, sha256(n::text::bytea || $2::bytea), '', 0, '{}', 'Key'
       FROM generate_series(1, 17) n`,
      [someone.uuid, someone.uuid],
    )
    const responses = []
    for (let at = 0; at < 4; at += 1) {
      responses.push(device().create(await creationOptions(token)).body)
    }
    const results = await Promise.all(responses.map((body) => add(token, body)))
    assert.equal(results.filter(({ status }) => status === 201).length, 2)
    const refused = await consoleCall('POST', '/auth/passkeys/options', token)
    assertRefused(refused, 409, 'limit_reached')
    assert.deepEqual(refused.body.limit, { name: 'passkeys', value: 20 })
    assert.equal((await list(token)).length, 20)
  })

  test('to an account with a second factor needs one: a password is not enough', async () => {
    const { token, passkey } = await passkeyOwner()
    const path = `/auth/passkeys/${passkey.publicId}`
    for (const refused of [
      await consoleCall('POST', '/auth/passkeys/options', token),
      await consoleCall('DELETE', path, token),
      await get().call('POST', '/auth/mfa/totp', { as: as.user(token) }),
    ]) {
      assertRefused(refused, 403, 'mfa_required')
      assert.match(refused.body.detail, /second factor/)
    }
    // Begun with the passkey, and continued with the password alone.
    const { body } = device().create(await creationOptions(await opened(passkey)))
    assertRefused(await add(token, body), 401, 'passkey_rejected')
    assert.equal((await list(token)).length, 1)
  })

  test('goes with an authenticator, and each counts without the other', async () => {
    const someone = await enrolled(get(), clock)
    const step = await logIn(get(), someone.email)
    const done = await verify(get(), step.body.mfa_token, codeOf(someone.secret, clock))
    clock.move(STEP_MS)
    const passkey = await withPasskey(done.body.access_token as string)
    const token = await opened(passkey)
    const removed = await get().call('DELETE', '/auth/mfa/totp', {
      as: as.user(token),
      body: { code: codeOf(someone.secret, clock), end_other_sessions: false },
    })
    assert.equal(removed.status, 200, removed.text)
    const { body } = await get().call('GET', '/auth/sessions', { as: as.user(token) })
    const sessions = body.items as { current: boolean; mfa: boolean }[]
    const others = sessions.filter(({ current }) => !current)
    assert.deepEqual(
      others.map(({ mfa }) => mfa),
      [false, false],
    )
    assert.equal(sessions.find(({ current }) => current)?.mfa, true)
  })

  test('waits until a password that the service made is changed', async () => {
    const someone = await person(get())
    const { pool } = get().database
    const { access_token: token } = await signIn(get(), someone)
    const passkey = await withPasskey(token)
    await pool.query(
      `UPDATE users SET initial_password_until = now() + interval '1 day' WHERE id = $1`,
      [someone.uuid],
    )
    const { status, body } = await open(passkey)
    assert.equal(status, 200)
    assert.equal(body.password_change_required, true)
    const refused = await consoleCall('POST', '/auth/passkeys/options', body.access_token as string)
    assertRefused(refused, 403, 'password_change_required')
  })
})
