/** Passkeys of an account: the operations that they open, and where they work. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { relyingPartyOf } from '../../../../src/features/identity/passkeys/relying-party.ts'
import { as, type CallResult } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { browser } from '../../../support/console.ts'
import {
  assertRefused,
  type PasskeyOwner,
  originOf,
  passkeysOf,
} from '../../../support/passkeys.ts'
import { me, movingClock, person, signIn } from '../../../support/sign-in.ts'
import { useApp } from '../../../support/suite-app.ts'

const ELEVEN_MINUTES = 660_000

const clock = movingClock()
const get = useApp({ clock })
const { consoleCall, device, passkeyOwner, open, opened, list, entries } = passkeysOf(get)

const mails = (email: string): Promise<{ subject: string }[]> =>
  sql(get().database, 'SELECT subject FROM mail_outbox WHERE recipient = $1 ORDER BY id', [email])

describe('a passkey', () => {
  test('is added, listed, renamed and removed; its person gets a mail about each', async () => {
    const { someone, token, passkey } = await passkeyOwner()
    const [first] = await list(token)
    const { created_at: _at, ...rest } = first as unknown as Record<string, unknown>
    assert.deepEqual(rest, { id: passkey.publicId, name: 'Laptop', last_used_at: null })
    assert.equal((await me(get(), token)).body.passkeys, 1)

    const fresh = await opened(passkey)
    const path = `/auth/passkeys/${passkey.publicId}`
    const renamed = await consoleCall('PATCH', path, fresh, { name: 'Old laptop' })
    assert.equal(renamed.body.name, 'Old laptop', renamed.text)
    assert.equal((await consoleCall('DELETE', path, fresh)).status, 204)
    assert.deepEqual(await list(fresh), [])
    assert.equal((await me(get(), fresh)).body.passkeys, 0)
    assertRefused(await consoleCall('DELETE', path, fresh), 404, 'passkey_not_found')

    const named = { passkey_id: passkey.publicId, name: 'Old laptop' }
    assert.deepEqual(await entries(someone.id, 'passkey.%'), [
      { action: 'passkey.added', detail: { ...named, name: 'Laptop' } },
      {
        action: 'passkey.renamed',
        detail: {
          passkey_id: passkey.publicId,
          before: { name: 'Laptop' },
          after: { name: 'Old laptop' },
        },
      },
      { action: 'passkey.removed', detail: named },
    ])
    assert.deepEqual(
      (await mails(someone.email)).map(({ subject }) => subject),
      ['A passkey was added (Mooring)', 'A passkey was removed (Mooring)'],
    )
  })

  test('signs in with both factors, into a session as a password opens it', async () => {
    const { someone, passkey } = await passkeyOwner()
    const page = browser(get())
    const { status, body, text } = await open(passkey, {}, page)
    assert.equal(status, 200, text)
    assert.equal(body.user_id, someone.id)
    assert.match(page.cookies.get('mooring-console') ?? '', /^rt_/)
    assert.match(page.cookies.get('mooring-known-device') ?? '', /^kd_/)
    const token = body.access_token as string
    const sessions = await get().call('GET', '/auth/sessions', { as: as.user(token) })
    const current = (sessions.body.items as { current: boolean; mfa: boolean }[]).find(
      (each) => each.current,
    )
    assert.equal(current?.mfa, true)
    const refreshed = await page.call('POST', '/session/refresh', { body: {} })
    assert.equal(refreshed.status, 200, refreshed.text)
    assert.notEqual((await list(token))[0]?.last_used_at, null)
    const [entry] = await sql(
      get().database,
      `SELECT detail FROM audit_log
       WHERE actor_id = $1 AND action = 'session.created' ORDER BY id DESC LIMIT 1`,
      [someone.id],
    )
    assert.deepEqual(entry, { detail: { mfa: true, passkey_id: passkey.publicId } })
  })

  test('satisfies a workspace that requires a second factor, which a password alone does not', async () => {
    const { someone, passkey } = await passkeyOwner()
    const { database, seed } = get()
    await database.pool.query(
      `INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, 'owner')`,
      [seed.uuid, someone.uuid],
    )
    const secured = await opened(passkey)
    const { access_token: token } = await signIn(get(), someone)
    const path = `/workspaces/${seed.id}`
    const change = await get().call('PATCH', path, {
      as: as.user(secured),
      body: { mfa_required: true },
    })
    assert.equal(change.status, 200, change.text)
    try {
      assert.equal((await get().call('GET', path, { as: as.user(secured) })).status, 200)
      assertRefused(await get().call('GET', path, { as: as.user(token) }), 403, 'mfa_required')
    } finally {
      await database.pool.query('UPDATE workspaces SET mfa_required = false WHERE id = $1', [
        seed.uuid,
      ])
    }
  })

  test('proves in an open session that its person is there', async () => {
    const { token, passkey } = await passkeyOwner()
    clock.move(ELEVEN_MINUTES)
    const options = '/auth/passkeys/options'
    assertRefused(await consoleCall('POST', options, token), 401, 'fresh_authentication_required')
    const asked = await consoleCall('POST', '/auth/passkeys/proof/options', token)
    assert.deepEqual(
      (asked.body.allowCredentials as { id: string }[]).map(({ id }) => id),
      [passkey.id],
    )
    const { user_handle: _handle, ...body } = device().get(passkey, asked.body)
    const proved = await consoleCall('POST', '/auth/passkeys/proof', token, body)
    assert.equal(proved.status, 200, proved.text)
    const fresh = proved.body.access_token as string
    assert.equal((await consoleCall('POST', options, fresh)).status, 200)
    const again = await consoleCall('POST', '/auth/passkeys/proof', token, body)
    assertRefused(again, 401, 'passkey_rejected')
  })

  test('proves nothing in the session of somebody else, or with their challenge', async () => {
    const one = await passkeyOwner()
    const other = await passkeyOwner()
    const proof = async (
      from: string,
      to: string,
      { passkey }: PasskeyOwner,
    ): Promise<CallResult> => {
      const asked = await consoleCall('POST', '/auth/passkeys/proof/options', from)
      const { user_handle: _handle, ...body } = device().get(passkey, asked.body)
      return consoleCall('POST', '/auth/passkeys/proof', to, body)
    }
    assertRefused(await proof(one.token, one.token, other), 401, 'passkey_rejected')
    assertRefused(await proof(other.token, one.token, one), 401, 'passkey_rejected')
    const second = await signIn(get(), one.someone)
    const elsewhere = await proof(one.token, second.access_token, one)
    assertRefused(elsewhere, 401, 'passkey_rejected')
    assert.equal((await proof(one.token, one.token, one)).status, 200)
  })
})

describe('where passkeys work', () => {
  const partyOf = (url: string) => relyingPartyOf({ url: () => url })

  test('is the origin of the console, if it has a host name and HTTPS, or is this machine', () => {
    assert.deepEqual(partyOf('https://console.example.com/console'), {
      id: 'console.example.com',
      origin: 'https://console.example.com',
    })
    assert.deepEqual(partyOf('https://Mooring.example.com:8443/console'), {
      id: 'mooring.example.com',
      origin: 'https://mooring.example.com:8443',
    })
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const origin = 'http://localhost:8080'
      assert.deepEqual(partyOf(`http://${host}:8080/console`), { id: 'localhost', origin })
    }
    for (const without of [
      'http://mooring.example.com',
      'https://192.0.2.1',
      'https://[2001:db8::1]',
    ]) {
      assert.equal(partyOf(`${without}/console`), undefined)
    }
  })

  test('is in the configuration, and on other hosts they are not available', async (t) => {
    const { status, body } = await browser(get()).call('GET', '/config')
    assert.equal(status, 200)
    assert.equal(body.passkey_origin, originOf(get()))
    const other = await get().sibling({ MOORING_CONSOLE_URL: 'http://192.0.2.1/console' })
    t.after(other.close)
    const page = browser(other)
    assert.equal((await page.call('GET', '/config')).body.passkey_origin, null)
    const { access_token: token } = await signIn(other, await person(other))
    for (const path of ['/session/passkey/options', '/auth/passkeys/options']) {
      const refused = await page.call('POST', path, { as: as.user(token), body: {} })
      assertRefused(refused, 409, 'passkeys_unavailable')
    }
  })
})
