/**
 * Derived keys: each use apart from the others, every encrypted value bound to its place and its
 * key.
 */
import assert from 'node:assert/strict'
import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createKeyring } from '../../../src/platform/access/keyring.ts'

const master = randomBytes(32)
const keyring = createKeyring(master)
const otherKeyring = createKeyring(randomBytes(32))

test('a master key has 32 bytes', () => {
  for (const length of [0, 16, 31, 33, 64]) {
    assert.throws(() => createKeyring(Buffer.alloc(length)), RangeError)
  }
})

test('a secret is hashed by HMAC-SHA-256 under a key of its own', () => {
  const key = Buffer.from(hkdfSync('sha256', master, '', 'mooring/v1/hash-secret', 32))
  const expected = createHmac('sha256', key).update('dht_abc').digest()
  assert.deepEqual(keyring.hashSecret('dht_abc'), expected)
  assert.deepEqual(createKeyring(master).hashSecret('dht_abc'), expected)
  assert.notDeepEqual(otherKeyring.hashSecret('dht_abc'), expected)
  assert.notDeepEqual(keyring.hashSecret('dht_abd'), expected)
})

test('the caller may wipe the master key once the keyring is made', () => {
  const own = Buffer.from(master)
  const made = createKeyring(own)
  own.fill(0)
  assert.deepEqual(made.mac('late', 'x'), keyring.mac('late', 'x'))
})

test('a MAC depends on the label, on each part and on where a part ends', () => {
  const lists: [string, ...string[]][] = [
    ['a', 'bc', 'd'],
    ['a', 'b', 'cd'],
    ['a', 'bcd'],
    ['a', 'bc', 'd', ''],
    ['a', '', 'bc', 'd'],
    ['a'],
    ['a', ''],
    ['b', 'bc', 'd'],
    ['ab', 'c', 'd'],
  ]
  const macs = lists.map(([label, ...parts]) => keyring.mac(label, ...parts).toString('hex'))
  assert.equal(new Set(macs).size, lists.length)
  assert.deepEqual(keyring.mac('a', 'é'), keyring.mac('a', Buffer.from('é')))
  assert.equal(keyring.mac('a').length, 32)
  assert.notDeepEqual(keyring.mac('a', 'x'), otherKeyring.mac('a', 'x'))
})

test('a ciphertext decrypts only in its place', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string(), fc.string(), (plaintext, place, other) => {
      const encrypted = keyring.encrypt(plaintext, place)
      assert.deepEqual(keyring.decrypt(encrypted, place), Buffer.from(plaintext))
      if (place !== other) assert.equal(keyring.decrypt(encrypted, other), undefined)
      assert.equal(otherKeyring.decrypt(encrypted, place), undefined)
    }),
  )
})

test('a ciphertext for a credential decrypts with that credential only', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string(), fc.string(), (plaintext, credential, other) => {
      const encrypted = keyring.encryptFor(credential, plaintext, 'answer:1')
      assert.deepEqual(
        keyring.decryptFor(credential, encrypted, 'answer:1'),
        Buffer.from(plaintext),
      )
      assert.equal(keyring.decryptFor(credential, encrypted, 'answer:2'), undefined)
      assert.equal(keyring.decrypt(encrypted, 'answer:1'), undefined)
      assert.equal(otherKeyring.decryptFor(credential, encrypted, 'answer:1'), undefined)
      if (credential !== other && credential.isWellFormed() && other.isWellFormed()) {
        assert.equal(keyring.decryptFor(other, encrypted, 'answer:1'), undefined)
      }
      assert.equal(keyring.decryptFor(credential, keyring.encrypt(plaintext, 'a'), 'a'), undefined)
    }),
  )
})

test('a change of any bit, a truncation or an addition is found', () => {
  const encrypted = keyring.encrypt(Buffer.from('the MQTT password'), 'row:1')
  for (let bit = 0; bit < encrypted.length * 8; bit++) {
    const changed = Buffer.from(encrypted)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.equal(keyring.decrypt(changed, 'row:1'), undefined, `bit ${bit}`)
  }
  for (let length = 0; length < encrypted.length; length++) {
    assert.equal(
      keyring.decrypt(encrypted.subarray(0, length), 'row:1'),
      undefined,
      `${length} bytes`,
    )
  }
  assert.equal(keyring.decrypt(Buffer.concat([encrypted, Buffer.of(0)]), 'row:1'), undefined)
})

test('an encrypted value begins with its format, hides the plaintext and never repeats', () => {
  const plaintext = Buffer.from('the MQTT password')
  const ciphertexts = Array.from({ length: 100 }, () => keyring.encrypt(plaintext, 'row:1'))
  for (const encrypted of ciphertexts) {
    assert.equal(encrypted[0], 1)
    assert.equal(encrypted.length, 29 + plaintext.length)
    assert.equal(encrypted.includes('MQTT'), false)
  }
  assert.equal(new Set(ciphertexts.map((encrypted) => encrypted.toString('hex', 1, 13))).size, 100)
})

test('a newer root key encrypts and signs, and the earlier ones open and are accepted', () => {
  const next = randomBytes(32)
  const both = createKeyring({ keys: [master, next], current: 2, oldest: { audit: 1, session: 1 } })
  const earlier = keyring.encrypt(Buffer.from('x'), 'row 1')
  const newer = both.encrypt(Buffer.from('x'), 'row 1')
  assert.deepEqual([earlier[0], newer[0]], [1, 2])
  assert.equal(both.decrypt(earlier, 'row 1')?.toString(), 'x')
  assert.equal(both.decrypt(newer, 'row 1')?.toString(), 'x')
  assert.equal(keyring.decrypt(newer, 'row 1'), undefined)
  // The number is part of what is bound.
  assert.equal(both.decrypt(Buffer.concat([Buffer.of(1), newer.subarray(1)]), 'row 1'), undefined)
  const [old, present] = [keyring.currentMac('a', 'b'), both.currentMac('a', 'b')]
  assert.notDeepEqual(old, present)
  assert.deepEqual(both.everyMac('a', 'b'), [present, old])
  for (const mac of [old, present]) assert.equal(both.isAccepted('session', mac, 'a', 'b'), true)
  assert.equal(keyring.isAccepted('session', present, 'a', 'b'), false)
})

test('values that cannot be computed again stay with the first root key', () => {
  const both = createKeyring({
    keys: [master, randomBytes(32)],
    current: 2,
    oldest: { audit: 2, session: 2 },
  })
  assert.deepEqual(both.hashSecret('x'), keyring.hashSecret('x'))
  assert.deepEqual(both.mac('a', 'b'), keyring.mac('a', 'b'))
  assert.equal(both.fingerprint(), keyring.fingerprint())
  const encrypted = keyring.encryptFor('credential', Buffer.from('x'), 'row 1')
  assert.equal(both.decryptFor('credential', encrypted, 'row 1')?.toString(), 'x')
})

test('each use refuses earlier root keys for itself, and a keyring learns of new ones', () => {
  const own = createKeyring(master)
  const next = randomBytes(32)
  const roots = { keys: [master, next], current: 1, oldest: { audit: 1, session: 1 } }
  own.renew(roots)
  const known = createKeyring({ ...roots, current: 2 })
  // Another process may use it a moment before this one does.
  assert.equal(own.currentRoot(), 1)
  assert.equal(own.isAccepted('audit', known.currentMac('a'), 'a'), true)
  assert.equal(own.decrypt(known.encrypt(Buffer.from('x'), 'row 1'), 'row 1')?.toString(), 'x')
  own.renew({ ...roots, current: 2, oldest: { audit: 2, session: 1 } })
  const old = keyring.currentMac('a')
  assert.equal(own.isAccepted('audit', old, 'a'), false)
  assert.equal(own.isAccepted('session', old, 'a'), true)
  assert.throws(() => own.renew({ ...roots, keys: [next] }), RangeError)
})

test('the fingerprint names the master key and is the same in every process', () => {
  assert.match(keyring.fingerprint(), /^[0-9a-f]{32}$/)
  assert.equal(createKeyring(master).fingerprint(), keyring.fingerprint())
  assert.notEqual(otherKeyring.fingerprint(), keyring.fingerprint())
})
