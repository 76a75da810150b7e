/** Signing keys: RFC 8037's example, what is published, and what a encrypted key is bound to. */
import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto'
import { test } from 'node:test'
import { createKeyring } from '../../../src/platform/access/keyring.ts'
import {
  exportEncrypted,
  importEncrypted,
  newSigningKey,
  thumbprint,
  toJwks,
} from '../../../src/platform/access/signing-keys.ts'

/** RFC 8037, appendix A.1 to A.4. */
const RFC = {
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  thumbprint: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  input: 'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc',
  signature:
    'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
}
const rfcKey = createPrivateKey({
  format: 'jwk',
  key: { kty: 'OKP', crv: 'Ed25519', d: RFC.d, x: RFC.x },
})
const keyring = createKeyring(randomBytes(32))

test('the example key of RFC 8037 has the published thumbprint and form', () => {
  const publicKey = createPublicKey(rfcKey)
  assert.equal(thumbprint(publicKey), RFC.thumbprint)
  assert.deepEqual(toJwks([{ kid: RFC.thumbprint, publicKey, state: 'retired' }]), {
    keys: [{ kty: 'OKP', crv: 'Ed25519', x: RFC.x, use: 'sig', alg: 'EdDSA', kid: RFC.thumbprint }],
  })
})

test('the example key goes through the encryption and still signs as RFC 8037 says', () => {
  const key = {
    kid: RFC.thumbprint,
    privateKey: rfcKey,
    publicKey: createPublicKey(rfcKey),
    state: 'active' as const,
  }
  const sealed = exportEncrypted(keyring, 'service.console', key)
  const read = importEncrypted(keyring, 'service.console', { ...key, sealed })
  assert.ok(read?.privateKey)
  assert.equal(
    sign(null, Buffer.from(RFC.input), read.privateKey).toString('base64url'),
    RFC.signature,
  )
})

test('a new key waits as the next one and is named by its thumbprint', () => {
  const [first, second] = [newSigningKey(), newSigningKey()]
  assert.equal(first.state, 'next')
  assert.equal(first.kid, thumbprint(first.publicKey))
  assert.notEqual(first.kid, second.kid)
})

test('the published document holds keys of every state and no private part', () => {
  const states = ['next', 'active', 'retired'] as const
  const keys = states.map((state) => ({ ...newSigningKey(), state }))
  const document = toJwks(keys)
  assert.deepEqual(
    document.keys.map(({ kid }) => kid),
    keys.map(({ kid }) => kid),
  )
  for (const jwk of document.keys) {
    assert.deepEqual(Object.keys(jwk).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  }
})

test('an encrypted key comes back whole, a retired one without its private part', () => {
  const key = newSigningKey()
  const sealed = exportEncrypted(keyring, 'service.console', key)
  const active = importEncrypted(keyring, 'service.console', {
    kid: key.kid,
    state: 'active',
    sealed,
  })
  const retired = importEncrypted(keyring, 'service.console', {
    kid: key.kid,
    state: 'retired',
    sealed,
  })
  assert.ok(active?.privateKey && retired)
  assert.ok(active.privateKey.equals(key.privateKey))
  assert.ok(active.publicKey.equals(key.publicKey))
  assert.equal(active.state, 'active')
  assert.ok(retired.publicKey.equals(key.publicKey))
  assert.equal(retired.privateKey, undefined)
})

test('an encrypted key opens for no other issuer, kid or master key, and in no other form', () => {
  const [key, other] = [newSigningKey(), newSigningKey()]
  const sealed = exportEncrypted(keyring, 'service.console', key)
  const row = { kid: key.kid, state: 'active' as const, sealed }
  assert.ok(importEncrypted(keyring, 'service.console', row))
  assert.equal(importEncrypted(keyring, 'service.moid', row), undefined)
  assert.equal(importEncrypted(keyring, 'service.console', { ...row, kid: other.kid }), undefined)
  const otherKeyring = createKeyring(randomBytes(32))
  assert.equal(importEncrypted(otherKeyring, 'service.console', row), undefined)
  const changed = Buffer.from(sealed)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  assert.equal(importEncrypted(keyring, 'service.console', { ...row, sealed: changed }), undefined)
})

test('a key under a name that is not its thumbprint is refused', () => {
  const key = { ...newSigningKey(), kid: 'console-2026' }
  const sealed = exportEncrypted(keyring, 'service.console', key)
  assert.equal(
    importEncrypted(keyring, 'service.console', { kid: key.kid, state: 'active', sealed }),
    undefined,
  )
})

test('a key without its private part cannot be encrypted', () => {
  const { kid, publicKey } = newSigningKey()
  assert.throws(
    () => exportEncrypted(keyring, 'x', { kid, publicKey, state: 'retired' }),
    TypeError,
  )
})
