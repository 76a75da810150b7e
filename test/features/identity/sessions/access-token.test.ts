/** The user tokens that the gate accepts: only what this service signed for a console user. */
import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { describe, test } from 'node:test'
import { createKeyring } from '../../../../src/platform/access/keyring.ts'
import { importEncrypted } from '../../../../src/platform/access/signing-keys.ts'
import { as, callUrl, startApp, type TestApp } from '../../../support/app.ts'
import { forge, forgeHmac, part } from '../../../support/forged-tokens.ts'
import { comparable, me, movingClock, person, signIn } from '../../../support/sign-in.ts'

interface Stolen {
  kid: string
  privateKey: KeyObject
  publicKey: KeyObject
}

/** The key that signs for an issuer, which nobody has: for forgeries that are nearly right. */
async function keyOf(app: TestApp, issuer: string): Promise<Stolen> {
  const { rows } = await app.database.pool.query<{ kid: string; sealed_private: Buffer }>(
    `SELECT kid, sealed_private FROM signing_keys WHERE issuer = $1 AND state = 'active'`,
    [issuer],
  )
  const [row] = rows
  assert.ok(row)
  const keyring = createKeyring(app.masterKey)
  const key = importEncrypted(keyring, issuer, {
    kid: row.kid,
    state: 'active',
    sealed: row.sealed_private,
  })
  assert.ok(key?.privateKey)
  return { kid: key.kid, privateKey: key.privateKey, publicKey: key.publicKey }
}

const readPart = (token: string, index: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())

async function setUp(t: Parameters<typeof startApp>[0]) {
  const app = await startApp(t)
  const { access_token: token } = await signIn(app, await person(app))
  const console_ = await keyOf(app, 'service.console')
  const moid = await keyOf(app, 'service.moid')
  const refused = async (forged: string, why: unknown): Promise<void> => {
    const { status, body } = await me(app, forged)
    assert.equal(status, 401, JSON.stringify(why))
    assert.equal(body.code, 'credential_rejected', JSON.stringify(why))
  }
  const [header, payload] = [readPart(token, 0), readPart(token, 1)]
  return { app, token, console_, moid, refused, header, payload }
}

describe('the access token of a user', () => {
  test('is taken when header, claims and key are all right', async (t) => {
    const { app, console_, header, payload } = await setUp(t)
    const copy = forge(header, { ...payload, jti: 'another' }, console_.privateKey)
    assert.equal((await me(app, copy)).status, 200)
  })

  test('is refused with another algorithm, typ or header', async (t) => {
    const { console_, refused, header, payload } = await setUp(t)
    const pem = console_.publicKey.export({ format: 'pem', type: 'spki' }).toString()
    const der = console_.publicKey.export({ format: 'der', type: 'spki' })
    for (const alg of ['none', 'None', 'noNE', '', 'RS256', 'ES256', 'Ed25519', ['EdDSA'], 0]) {
      const forged = forge({ ...header, alg }, payload, console_.privateKey)
      await refused(forged, alg)
      await refused(forged.replace(/[^.]*$/, ''), alg)
    }
    for (const secret of [pem, `\n${pem}`, pem.trim(), der, '']) {
      await refused(forgeHmac({ ...header, alg: 'HS256' }, payload, secret), 'HS256')
    }
    for (const typ of ['JWT', 'at+jwt', 'moid-at+jwt', undefined]) {
      await refused(forge({ ...header, typ }, payload, console_.privateKey), typ)
    }
    for (const extra of [
      { crit: ['exp'] },
      { b64: false, crit: ['b64'] },
      { jku: 'http://127.0.0.1:9' },
    ]) {
      await refused(forge({ ...header, ...extra }, payload, console_.privateKey), extra)
    }
  })

  test('is refused under a kid that is unknown, foreign or no kid at all', async (t) => {
    const { console_, moid, refused, header, payload } = await setUp(t)
    const own = generateKeyPairSync('ed25519')
    const jwk = own.publicKey.export({ format: 'jwk' })
    await refused(forge({ ...header, jwk }, payload, own.privateKey), 'jwk')
    await refused(forge({ ...header, kid: moid.kid }, payload, moid.privateKey), 'moid')
    await refused(forge({ ...header, kid: moid.kid }, payload, console_.privateKey), 'swapped')
    for (const kid of ['../../dev/null', "' OR 1=1 --", 'k'.repeat(4000), '', undefined, {}, 7]) {
      await refused(forge({ ...header, kid }, payload, own.privateKey), kid)
      await refused(forge({ ...header, kid }, payload, console_.privateKey), kid)
    }
  })

  test('is refused with claims of another issuer or audience, or of no time', async (t) => {
    const { app, console_, moid, refused, header, payload } = await setUp(t)
    const now = Math.floor(Date.now() / 1000)
    const claims: Record<string, unknown>[] = [
      { iss: 'service.moid' },
      { iss: ['service.console'] },
      { iss: 'service.console/' },
      { iss: 'Service.Console' },
      { aud: 'service.moid.api' },
      { aud: [payload.aud, 'service.moid.api'] },
      { aud: undefined },
      { exp: undefined },
      { exp: String(now + 900) },
      { exp: now - 1 },
      { exp: 1e18 },
      { exp: -1 },
      { iat: now + 3600, exp: now + 7200 },
      { nbf: now + 3600 },
      { iat: undefined },
      { sub: undefined },
      { sub: 'usr_x' },
      { sub: app.seed.owner.id },
      { sid: undefined },
      { sid: 'ses_x' },
      { sid: String(payload.sid).replace('ses_', 'mse_') },
    ]
    for (const claim of claims) {
      await refused(forge(header, { ...payload, ...claim }, console_.privateKey), claim)
    }
    const moidHeader = { ...header, kid: moid.kid, typ: 'moid-at+jwt' }
    const asMoid = { ...payload, iss: 'service.moid', aud: 'service.moid.api' }
    await refused(forge(moidHeader, asMoid, moid.privateKey), 'a moid token')
    await refused(forge(moidHeader, payload, moid.privateKey), 'a console token of moid')
    await refused(forge({ ...header, kid: moid.kid }, payload, moid.privateKey), 'moid key')
  })

  test('is refused in every form but its own', async (t) => {
    const { app, token, refused, console_ } = await setUp(t)
    const [head = '', body = '', signature = ''] = token.split('.')
    const last = signature.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const variants = [
      ...Array.from(alphabet)
        .filter((each) => each !== last)
        .map((each) => token.slice(0, -1) + each),
      `${token}=`,
      `${token}==`,
      `${token}.`,
      `.${token}`,
      `${head}.${body}`,
      `${head}..${signature}`,
      `${head}.${body}.`,
      `${head}.${body}.${signature}.${signature}`,
      `${head}.${body}.${signature}.${signature}.${signature}`,
      `${head}.${body}.${signature.replaceAll('_', '/').replaceAll('-', '+')}=`,
      `${head}=.${body}.${signature}`,
      token.toLowerCase(),
      encodeURIComponent(`${token} `),
    ]
    for (const variant of variants) await refused(variant, variant.slice(-8))
    const spaced = `${part(` ${JSON.stringify(readPart(token, 0))}`)}.${body}`
    const resigned = sign(null, Buffer.from(spaced), console_.privateKey).toString('base64url')
    await refused(`${spaced}.${resigned}`, 'a space in the header')
    assert.equal((await me(app, token)).status, 200)
  })

  test('is refused after its expiry', async (t) => {
    const clock = movingClock()
    const app = await startApp(t, { clock })
    const { access_token: token, expires_in: lifetime } = await signIn(app, await person(app))
    clock.move((lifetime - 5) * 1000)
    assert.equal((await me(app, token)).status, 200)
    clock.move(6_000)
    assert.equal((await me(app, token)).status, 401)
    clock.move(-60_000)
    assert.equal((await me(app, token)).status, 200, 'only the time decides')
  })

  test('gets one refusal for all that can be wrong with a credential', async (t) => {
    const { app, token, header, payload, console_ } = await setUp(t)
    const ended = await signIn(app, await person(app))
    await app.call('POST', '/auth/logout', { as: as.user(ended.access_token) })
    const expired = forge(header, { ...payload, iat: 1, exp: 2 }, console_.privateKey)
    const bad = [
      `${token}x`,
      ended.access_token,
      expired,
      ended.refresh_token,
      'garbage',
      'service_ak_garbage',
      'dht_garbage',
      app.seed.platformKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
    ]
    const responses = await Promise.all(bad.map(async (each) => comparable(await me(app, each))))
    for (const response of responses) assert.deepEqual(response, responses[0])
  })
})

describe('/.well-known', () => {
  test('publishes the public keys of each issuer, and they verify its tokens', async (t) => {
    const { app, token, console_ } = await setUp(t)
    const sets = await Promise.all(
      ['jwks', 'moid-jwks'].map((name) => callUrl(`${app.origin}/.well-known/${name}.json`, 'GET')),
    )
    for (const { status, headers, body, text } of sets) {
      assert.equal(status, 200)
      assert.equal(headers['cache-control'], 'public, max-age=60')
      assert.match(headers['content-type'] ?? '', /^application\/json/)
      assert.equal(body.keys.length, 2)
      for (const key of body.keys) {
        assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
      }
      assert.ok(!text.includes('"d"'))
    }
    const kids = sets.flatMap(({ body }) => body.keys.map(({ kid }: { kid: string }) => kid))
    assert.equal(new Set(kids).size, 4, 'the issuers share no key')
    const jwk = sets[0]?.body.keys.find(({ kid }: { kid: string }) => kid === console_.kid)
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    const [head, body, signature = ''] = token.split('.')
    const input = Buffer.from(`${head}.${body}`)
    assert.ok(verify(null, input, publicKey, Buffer.from(signature, 'base64url')))
  })
})
