/** Derived keys: each use apart from the others, every seal bound to its place and its key. */
import assert from 'node:assert/strict'
import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createKeyring } from '../../src/access/keyring.ts'

const master = randomBytes(32)
const keyring = createKeyring(master)
const stranger = createKeyring(randomBytes(32))

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
  assert.notDeepEqual(stranger.hashSecret('dht_abc'), expected)
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
  assert.notDeepEqual(keyring.mac('a', 'x'), stranger.mac('a', 'x'))
})

test('what was sealed opens again, and only in its place', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string(), fc.string(), (plaintext, place, other) => {
      const sealed = keyring.seal(plaintext, place)
      assert.deepEqual(keyring.open(sealed, place), Buffer.from(plaintext))
      if (place !== other) assert.equal(keyring.open(sealed, other), undefined)
      assert.equal(stranger.open(sealed, place), undefined)
    }),
  )
})

test('what was sealed for a credential opens with that credential only', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string(), fc.string(), (plaintext, credential, other) => {
      const sealed = keyring.sealFor(credential, plaintext, 'answer:1')
      assert.deepEqual(keyring.openFor(credential, sealed, 'answer:1'), Buffer.from(plaintext))
      assert.equal(keyring.openFor(credential, sealed, 'answer:2'), undefined)
      assert.equal(keyring.open(sealed, 'answer:1'), undefined)
      assert.equal(stranger.openFor(credential, sealed, 'answer:1'), undefined)
      if (credential !== other && credential.isWellFormed() && other.isWellFormed()) {
        assert.equal(keyring.openFor(other, sealed, 'answer:1'), undefined)
      }
      assert.equal(keyring.openFor(credential, keyring.seal(plaintext, 'a'), 'a'), undefined)
    }),
  )
})

test('a change of any bit, a cut or an addition is found', () => {
  const sealed = keyring.seal(Buffer.from('the MQTT password'), 'row:1')
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.equal(keyring.open(changed, 'row:1'), undefined, `bit ${bit}`)
  }
  for (let length = 0; length < sealed.length; length++) {
    assert.equal(keyring.open(sealed.subarray(0, length), 'row:1'), undefined, `${length} bytes`)
  }
  assert.equal(keyring.open(Buffer.concat([sealed, Buffer.of(0)]), 'row:1'), undefined)
})

test('a seal begins with its format, hides the plaintext and never repeats', () => {
  const plaintext = Buffer.from('the MQTT password')
  const seals = Array.from({ length: 100 }, () => keyring.seal(plaintext, 'row:1'))
  for (const sealed of seals) {
    assert.equal(sealed[0], 1)
    assert.equal(sealed.length, 29 + plaintext.length)
    assert.equal(sealed.includes('MQTT'), false)
  }
  assert.equal(new Set(seals.map((sealed) => sealed.toString('hex', 1, 13))).size, 100)
})

test('the fingerprint names the master key and is the same in every process', () => {
  assert.match(keyring.fingerprint(), /^[0-9a-f]{32}$/)
  assert.equal(createKeyring(master).fingerprint(), keyring.fingerprint())
  assert.notEqual(stranger.fingerprint(), keyring.fingerprint())
})
