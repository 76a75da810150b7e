/** Passkeys that are refused, and callers that come too often. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as } from '../../../support/app.ts'
import { authenticator, type Faults, type RequestOptions } from '../../../support/authenticator.ts'
import { browser } from '../../../support/console.ts'
import { assertRefused, passkeysOf } from '../../../support/passkeys.ts'
import { count, me, movingClock, person } from '../../../support/sign-in.ts'
import { useApp } from '../../../support/suite-app.ts'

const FIVE_MINUTES = 300_000

const clock = movingClock()
const get = useApp({ clock })
const { consoleCall, device, passkeyOwner, signInOptions, open, opened, entries } = passkeysOf(get)

describe('a passkey is refused', () => {
  test('for a signature that is not of this page, place, kind or person', async () => {
    const { someone, passkey } = await passkeyOwner()
    const other = await person(get())
    const faults: Faults[] = [
      { origin: 'https://mooring.example.org' },
      { origin: get().origin },
      { rpId: 'example.org' },
      { type: 'webauthn.create' },
      { unverified: true },
      { crossOrigin: true },
      { backedUp: true },
      { forged: true },
      { userHandle: Buffer.from(other.uuid.replaceAll('-', ''), 'hex').toString('base64url') },
    ]
    for (const fault of faults) assertRefused(await open(passkey, fault), 401, 'passkey_rejected')
    assertRefused(await open({ ...passkey, id: 'AAAA' }), 401, 'passkey_rejected')
    const refusals = await entries(someone.id, 'session.refused')
    assert.equal(refusals.length, faults.length)
    await opened(passkey)
  })

  test('whose count of signatures goes back, because it may have been copied', async () => {
    const { someone, passkey } = await passkeyOwner()
    assert.equal((await open(passkey, { signatures: 7 })).status, 200)
    for (const signatures of [7, 6, 0]) {
      assertRefused(await open(passkey, { signatures }), 401, 'passkey_rejected')
    }
    const refused = { action: 'passkey.refused', detail: { passkey_id: passkey.publicId } }
    assert.deepEqual(await entries(someone.id, 'passkey.refused'), [refused, refused, refused])
    assert.equal((await open(passkey, { signatures: 8 })).status, 200)
  })

  test('if its authenticator counts nothing, only for other reasons', async () => {
    const { passkey } = await passkeyOwner()
    for (let at = 0; at < 2; at += 1) {
      assert.equal((await open(passkey, { signatures: 0 })).status, 200)
    }
  })

  test('with a challenge that has expired, is of another purpose, or is not ours', async () => {
    const { token, passkey } = await passkeyOwner()
    const page = browser(get())
    const late = await signInOptions(page)
    clock.move(FIVE_MINUTES + 1)
    const send = (options: RequestOptions) =>
      page.call('POST', '/session/passkey', { body: device().get(passkey, options) })
    assertRefused(await send(late), 401, 'passkey_rejected')
    const asked = await consoleCall('POST', '/auth/passkeys/proof/options', token)
    assertRefused(await send(asked.body), 401, 'passkey_rejected')
    const { rpId, challenge } = await signInOptions(page)
    const changed = Buffer.from(challenge, 'base64url')
    changed.writeUInt8(changed.readUInt8(0) ^ 1)
    for (const foreign of ['', 'AAAA', changed.toString('base64url')]) {
      assertRefused(await send({ rpId, challenge: foreign }), 401, 'passkey_rejected')
    }
    assert.equal((await send({ rpId, challenge })).status, 200)
  })

  test('with the same challenge again, which lets in one of many callers at once', async () => {
    const { someone, passkey } = await passkeyOwner()
    const page = browser(get())
    const options = await signInOptions(page)
    const bodies = Array.from({ length: 12 }, () => device().get(passkey, options))
    const before = await count(get(), 'user_sessions WHERE user_id = $1', [someone.uuid])
    const results = await Promise.all(
      [...bodies, ...bodies].map((body) => page.call('POST', '/session/passkey', { body })),
    )
    const good = results.filter(({ status }) => status === 200)
    assert.equal(good.length, 1)
    for (const result of results) {
      if (!good.includes(result)) assertRefused(result, 401, 'passkey_rejected')
    }
    const after = await count(get(), 'user_sessions WHERE user_id = $1', [someone.uuid])
    assert.equal(after, before + 1)
  })

  test('of an account that is disabled', async () => {
    const { someone, passkey } = await passkeyOwner()
    const { pool } = get().database
    await pool.query(`UPDATE users SET status = 'disabled' WHERE id = $1`, [someone.uuid])
    assertRefused(await open(passkey), 401, 'passkey_rejected')
    await pool.query(`UPDATE users SET status = 'active' WHERE id = $1`, [someone.uuid])
    await opened(passkey)
  })

  test('as soon as it is removed, and so are the sessions that it has opened', async () => {
    const { token, passkey } = await passkeyOwner()
    const lasting = await opened(passkey)
    const own = await opened(passkey)
    const path = `/auth/passkeys/${passkey.publicId}`
    assert.equal((await consoleCall('DELETE', path, own)).status, 204)
    assertRefused(await open(passkey), 401, 'passkey_rejected')
    assert.equal((await me(get(), lasting)).status, 401)
    assert.equal((await me(get(), token)).status, 200, 'the session was opened with a password')
    const { body } = await get().call('GET', '/auth/sessions', { as: as.user(own) })
    const current = (body.items as { current: boolean; mfa: boolean }[]).find((s) => s.current)
    assert.equal(current?.mfa, false, 'a removed factor does not count')
  })
})

describe('requests with passkeys', () => {
  const getLimited = useApp({ environment: { MOORING_RATE_LIMITS: 'on' } })

  test('are limited as those with a password are', async () => {
    const page = browser(getLimited())
    const options = await page.call('POST', '/session/passkey/options', { body: {} })
    const { passkey } = authenticator('http://localhost').create({
      ...options.body,
      rp: { id: 'localhost' },
      user: { id: 'AA' },
    })
    const body = device().get(passkey, options.body)
    const statuses: number[] = []
    for (let at = 0; at < 25; at += 1) {
      statuses.push((await page.call('POST', '/session/passkey', { body })).status)
    }
    assert.ok(statuses.includes(401) && statuses.includes(429), String(statuses))
  })
})
