/** Access tokens that this service made: their checks, and their expiry. */
import assert from 'node:assert/strict'
import { createPublicKey, verify as verifyBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  createTokenIssuer,
  MAX_LIFETIME_SECONDS,
  newSigningKey,
  toJwks,
  type NewClaims,
  type SigningKey,
} from '../../../src/platform/access/jwt.ts'
import { forge, type FullKey } from '../../support/forged-tokens.ts'

const START = 1_800_000_000_000
const CLAIMS = { sub: 'usr_1', sid: 'ses_1' }

const activeKey = (): FullKey => ({ ...newSigningKey(), state: 'active' })

function consoleIssuer(options: { keys?: SigningKey[]; audience?: string; issuer?: string } = {}) {
  const time = { now: START }
  const keys = options.keys ?? [activeKey()]
  const issuer = createTokenIssuer({
    issuer: options.issuer ?? 'service.console',
    audience: options.audience ?? 'mooring.console',
    typ: 'console-at+jwt',
    keys: () => keys,
    clock: { now: () => time.now },
  })
  return { ...issuer, keys, time }
}

test('a token comes back with its claims, first by signature and then from the cache', () => {
  const { sign, verify } = consoleIssuer()
  const token = sign(
    { ...CLAIMS, jti: 'tok_1', workspaces: { ws_1: 'owner' }, name: 'Zoë 🦊' },
    900,
  )
  const expected = {
    ...CLAIMS,
    jti: 'tok_1',
    workspaces: { ws_1: 'owner' },
    name: 'Zoë 🦊',
    iss: 'service.console',
    aud: 'mooring.console',
    iat: START / 1000,
    exp: START / 1000 + 900,
  }
  assert.deepEqual(verify(token), expected)
  assert.deepEqual(verify(token), expected)
})

test('anybody can check a token with the published key alone', () => {
  const { sign, keys } = consoleIssuer()
  const [header = '', payload = '', signature = ''] = sign(CLAIMS, 900).split('.')
  const [jwk] = toJwks(keys).keys
  assert.ok(jwk)
  assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), {
    alg: 'EdDSA',
    kid: jwk.kid,
    typ: 'console-at+jwt',
  })
  const key = createPublicKey({ format: 'jwk', key: { ...jwk } })
  const input = Buffer.from(`${header}.${payload}`)
  assert.ok(verifyBytes(null, input, key, Buffer.from(signature, 'base64url')))
})

test('each token has a jti of its own unless one is given', () => {
  const { sign, verify } = consoleIssuer()
  const names = Array.from({ length: 20 }, () => verify(sign(CLAIMS, 60))?.jti)
  assert.equal(new Set(names).size, 20)
})

test('a token is dead from the second of its exp on, also when it was cached', () => {
  const { sign, verify, time } = consoleIssuer()
  const [cached, fresh] = [sign(CLAIMS, 900), sign(CLAIMS, 900)]
  time.now = START + 899_999
  assert.ok(verify(cached))
  time.now = START + 900_000
  assert.equal(verify(cached), undefined)
  assert.equal(verify(fresh), undefined)
})

test('a clock that is up to a minute behind the signer is forgiven, more is not', () => {
  const { sign, verify, time } = consoleIssuer()
  const token = sign(CLAIMS, 900)
  time.now = START - 60_000
  assert.ok(verify(token))
  time.now = START - 61_000
  assert.equal(verify(token), undefined)
  assert.equal(verify(sign(CLAIMS, 900))?.iat, START / 1000 - 61)
})

test('every key of the set verifies, only the active one signs', () => {
  const [retired, active, next] = [activeKey(), activeKey(), activeKey()]
  const before = consoleIssuer({ keys: [retired] })
  const after = consoleIssuer({
    keys: [{ ...retired, state: 'retired' }, active, { ...next, state: 'next' }],
  })
  const ahead = consoleIssuer({ keys: [next] })
  assert.ok(after.verify(before.sign(CLAIMS, 900)))
  assert.ok(after.verify(ahead.sign(CLAIMS, 900)))
  const header = after.sign(CLAIMS, 900).split('.')[0] ?? ''
  assert.equal(JSON.parse(Buffer.from(header, 'base64url').toString()).kid, active.kid)
})

test('a removed key is refused at once, also for tokens in the cache', () => {
  const [first, second] = [activeKey(), activeKey()]
  const { sign, verify, keys } = consoleIssuer({ keys: [first] })
  const token = sign(CLAIMS, 900)
  assert.ok(verify(token))
  keys.splice(0, 1, second)
  assert.equal(verify(token), undefined)
  assert.ok(verify(sign(CLAIMS, 900)))
})

test('another key under the same kid does not inherit cached tokens', () => {
  const first = activeKey()
  const { sign, verify, keys } = consoleIssuer({ keys: [first] })
  const token = sign(CLAIMS, 900)
  assert.ok(verify(token))
  keys.splice(0, 1, { ...activeKey(), kid: first.kid })
  assert.equal(verify(token), undefined)
})

test('a set that was read again, with the same keys, continues taking cached tokens', () => {
  const { sign, verify, keys } = consoleIssuer()
  const token = sign(CLAIMS, 900)
  const claims = verify(token)
  const [key] = keys
  assert.ok(key)
  const jwk = key.publicKey.export({ format: 'jwk' })
  keys.splice(0, 1, {
    kid: key.kid,
    state: 'retired',
    publicKey: createPublicKey({ format: 'jwk', key: jwk }),
  })
  assert.ok(claims)
  assert.equal(verify(token), claims)
})

test('without an active private key nothing is signed', () => {
  const { kid, publicKey } = newSigningKey()
  const sets: SigningKey[][] = [
    [],
    [newSigningKey()],
    [{ ...activeKey(), state: 'retired' }],
    [{ kid, publicKey, state: 'active' }],
  ]
  for (const keys of sets) {
    assert.throws(() => consoleIssuer({ keys }).sign(CLAIMS, 900), /no active signing key/)
  }
})

test('a token that verify would refuse is not signed', () => {
  const { sign } = consoleIssuer()
  for (const lifetime of [0, -1, 0.5, Number.NaN, Infinity, MAX_LIFETIME_SECONDS + 1]) {
    assert.throws(() => sign(CLAIMS, lifetime), RangeError)
  }
  const wrong: NewClaims[] = [
    { ...CLAIMS, sub: '' },
    { ...CLAIMS, sid: '' },
    { ...CLAIMS, jti: '' },
    JSON.parse('{"sub":"usr_1","sid":"ses_1","__proto__":{"admin":true}}') as NewClaims,
    { ...CLAIMS, note: 'x'.repeat(9000) },
  ]
  for (const claims of wrong) assert.throws(() => sign(claims, 900), RangeError)
})

test('the claims of one request cannot be changed for the next', () => {
  const { sign, verify } = consoleIssuer()
  const token = sign({ ...CLAIMS, workspaces: { ws_1: 'viewer' } }, 900)
  for (let time = 0; time < 2; time++) {
    const claims = verify(token)
    assert.ok(claims)
    assert.ok(Object.isFrozen(claims) && Object.isFrozen(claims['workspaces']))
  }
})

test('a token of another audience or issuer is refused, compared to the letter', () => {
  const keys = [activeKey()]
  const { verify } = consoleIssuer({ keys })
  for (const audience of [
    'mooring.Console',
    'mooring.console/',
    'mooring.moid',
    ' mooring.console',
  ]) {
    assert.equal(verify(consoleIssuer({ keys, audience }).sign(CLAIMS, 900)), undefined)
  }
  for (const issuer of [
    'service.Console',
    'service.console/',
    'service.moid',
    'service.console ',
  ]) {
    assert.equal(verify(consoleIssuer({ keys, issuer }).sign(CLAIMS, 900)), undefined)
  }
  assert.ok(verify(consoleIssuer({ keys }).sign(CLAIMS, 900)))
})

test('console and moid tokens are never taken for each other', () => {
  const clock = { now: () => START }
  const [consoleKey, moidKey] = [activeKey(), activeKey()]
  const settings = {
    console: { issuer: 'service.console', audience: 'console', typ: 'console-at+jwt' },
    moid: { issuer: 'service.moid', audience: 'moid', typ: 'moid-at+jwt' },
  } as const
  const moid = createTokenIssuer({ ...settings.moid, keys: () => [moidKey], clock })
  const console = createTokenIssuer({ ...settings.console, keys: () => [consoleKey], clock })
  assert.equal(moid.verify(console.sign(CLAIMS, 900)), undefined)
  assert.equal(console.verify(moid.sign(CLAIMS, 900)), undefined)

  // Everything is the moid issuer's but the key, then everything but the typ, and so on.
  const payload = { ...CLAIMS, iss: 'service.moid', aud: 'moid', jti: 'j', iat: START / 1000 }
  const good = { ...payload, exp: START / 1000 + 900 }
  const header = { alg: 'EdDSA', kid: moidKey.kid, typ: 'moid-at+jwt' }
  assert.ok(moid.verify(forge(header, good, moidKey.privateKey)))
  const mixtures = [
    forge(header, good, consoleKey.privateKey),
    forge({ ...header, kid: consoleKey.kid }, good, consoleKey.privateKey),
    forge({ ...header, kid: consoleKey.kid }, good, moidKey.privateKey),
    forge({ ...header, typ: 'console-at+jwt' }, good, moidKey.privateKey),
    forge(header, { ...good, iss: 'service.console' }, moidKey.privateKey),
    forge(header, { ...good, aud: 'console' }, moidKey.privateKey),
  ]
  for (const token of mixtures) {
    assert.equal(moid.verify(token), undefined)
    assert.equal(console.verify(token), undefined)
  }
})
