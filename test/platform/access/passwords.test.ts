/** Passwords: exact comparison, bounded work, the same work for unknown accounts. */
import assert from 'node:assert/strict'
import { hash as argonHash } from '@node-rs/argon2'
import { test } from 'node:test'
import {
  checkPassword,
  createPasswordHasher,
  MIN_PASSWORD_WITH_FACTOR,
} from '../../../src/platform/access/passwords.ts'
import { Failure } from '../../../src/platform/errors/errors.ts'

const hasher = createPasswordHasher()

test('a password is hashed as argon2id with 19 MiB, two passes and one lane', async () => {
  const [first, second] = await Promise.all([
    hasher.hash('correct horse'),
    hasher.hash('correct horse'),
  ])
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.notEqual(first, second)
  assert.equal(await hasher.verify(first, 'correct horse'), true)
  assert.equal(await hasher.verify(second, 'correct horse'), true)
})

test('passwords are compared exactly, to the last character', async () => {
  const pairs = [
    [`${'a'.repeat(72)}b`, `${'a'.repeat(72)}c`],
    [' leading space', 'leading space'],
    ['trailing space ', 'trailing space'],
    ['Correct horse', 'correct horse'],
    ['caf\u00e9 cafe', 'cafe\u0301 cafe'],
    ['\u212aelvin scale', 'Kelvin scale'],
    ['🦊🦊🦊🦊🦊🦊🦊🦊', '🦊🦊🦊🦊🦊🦊🦊🐺'],
    [`${'x'.repeat(1023)}y`, `${'x'.repeat(1023)}z`],
  ] as const
  for (const [right, wrong] of pairs) {
    const phc = await hasher.hash(right)
    assert.equal(await hasher.verify(phc, right), true, right)
    assert.equal(await hasher.verify(phc, wrong), false, wrong)
  }
})

test('no password fits an unknown account', async () => {
  for (const password of ['', 'correct horse', '\0', '\ud800']) {
    assert.equal(await hasher.verify(undefined, password), false)
  }
})

test('an invalid password matches nothing, not even its corrected form', async () => {
  const replaced = await hasher.hash('abcdefg\ufffd')
  assert.equal(await hasher.verify(replaced, 'abcdefg\ufffd'), true)
  assert.equal(await hasher.verify(replaced, 'abcdefg\ud800'), false)
  const plain = await hasher.hash('abcdefgh')
  for (const text of ['abcdefgh\0', 'abcdefgh\0ijkl', `abcdefgh${'\0'.repeat(2000)}`]) {
    assert.equal(await hasher.verify(plain, text), false)
  }
  // The replacement of such a text must fit no account either.
  assert.equal(await hasher.verify(await argonHash(''), 'x'.repeat(5000)), false)
  for (const text of ['x'.repeat(1025), 'abcdefgh\0', 'abcdefgh\ud800', 'x'.repeat(1_000_000)]) {
    await assert.rejects(hasher.hash(text), TypeError)
  }
})

test('a hash of another cost or kind is due for a new one', async () => {
  assert.equal(hasher.needsRehash(await hasher.hash('correct horse')), false)
  const weaker = [{ memoryCost: 9216 }, { timeCost: 3 }, { parallelism: 2 }, { outputLen: 16 }]
  for (const cost of weaker) assert.equal(hasher.needsRehash(await argonHash('x', cost)), true)
  const other = (await hasher.hash('correct horse')).replace('argon2id', 'argon2i')
  assert.equal(hasher.needsRehash(other), true)
})

test('more than the queue takes is refused at once as unavailable, and the rest is served', async () => {
  const small = createPasswordHasher({ concurrency: 1, queueLimit: 3 })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, () => small.verify(undefined, 'correct horse')),
  )
  const served = outcomes.filter(({ status }) => status === 'fulfilled')
  assert.equal(served.length, 4)
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    assert.ok(outcome.reason instanceof Failure)
    assert.equal(outcome.reason.code, 'unavailable')
    assert.equal(outcome.reason.options.retryAfterSeconds, 1)
  }
  assert.equal(await small.verify(undefined, 'correct horse'), false)
})

test('a hash that fails gives its place to the next', async () => {
  const small = createPasswordHasher({ concurrency: 1, queueLimit: 5 })
  const outcomes = await Promise.allSettled([
    small.verify('not a PHC string', 'x'),
    small.verify('not a PHC string', 'x'),
    small.verify(undefined, 'x'),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  )
  assert.match(await small.hash('correct horse'), /^\$argon2id/)
})

test('a hasher that could never run anything is refused', () => {
  for (const options of [{ concurrency: 0 }, { concurrency: Number.NaN }, { queueLimit: -1 }]) {
    assert.throws(() => createPasswordHasher(options), RangeError)
  }
})

test('a new password has 15 to 1,024 characters, counted as people count', () => {
  for (const text of ['x7#kd0Lq.x7#kd', '🦊🐺🐻🐼🐨🐯🦁🐮🐷🐸'])
    assert.match(checkPassword(text) ?? '', /at least 15 characters, or 12 with an authenticator/)
  for (const text of [
    'x7#kd0Lq.x7#kd0',
    '🦊🐺🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🐤',
    ' x7#kd0 x7#kd0 ',
    'correct horse battery staple',
  ]) {
    assert.equal(checkPassword(text), undefined, text)
  }
})

test('alongside a second factor 12 characters are enough', () => {
  const rule = { minCharacters: MIN_PASSWORD_WITH_FACTOR }
  assert.match(checkPassword('x7#kd0Lq.x7', rule) ?? '', /^must have at least 12 characters$/)
  assert.equal(checkPassword('x7#kd0Lq.x7#', rule), undefined)
})

test('passwords from the address, names and the product are refused in every variant', () => {
  const about = ['ada.lovelace@acme.example', 'Ada Lovelace', 'Acme Sensors', 'acme-sensors']
  about.push('1234567890ab@example.com')
  for (const text of [
    'ada.lovelace@acme.example',
    'AdaLovelace1815!',
    'lovelace-lovelace',
    'Acme Sensors 2026',
    'm00ring-m00ring-1',
    'MooringMooring42',
    'adminMooring2026!',
    '4da_L0vel4ce_4cme',
    '1234567890ab@example.com',
  ]) {
    assert.match(
      checkPassword(text, { about }) ?? 'taken',
      /derived from known data|too common/,
      text,
    )
  }
  for (const text of [
    'ada walks along the quay',
    'sensors that hum at night',
    'mooring lines in fog',
    '8391-ada-7724-11!9-5540',
    'correct horse battery staple',
  ]) {
    assert.equal(checkPassword(text, { about }), undefined, text)
  }
})

test('the longest password has 1,024 characters', () => {
  const long = (count: number): string =>
    `x7#kd0Lq${'🦊🐺🐻🐼🐨🐯🦁🐮'.repeat(128)}`.slice(0, count)
  assert.equal(checkPassword(long(1024)), undefined)
  assert.equal(checkPassword('🦊🐺🐻🐼🐨🐯🦁🐮🐷'.repeat(200)), 'must have at most 1024 characters')
  assert.match(checkPassword('x7#kd0Lq'.repeat(129)) ?? '', /at most 1024/)
  assert.match(checkPassword('x'.repeat(10_000_000)) ?? '', /at most 1024/)
})

test('a password with NUL or half a character is refused', () => {
  for (const text of ['x7#kd0Lq\0', '\0x7#kd0Lq', 'x7#kd0Lq\ud83e', '\udd8ax7#kd0Lq']) {
    assert.match(checkPassword(text) ?? '', /cannot be used/)
  }
})

/** The rule of earlier versions, by which common passwords could be short. */
const short = { minCharacters: 8 }

const COMMON = [
  'password',
  'Password',
  'PASSWORD1',
  'P@ssw0rd',
  'p455w0rd!',
  'Passw0rd2026',
  '123password',
  'passwordpassword',
  '12345678',
  '123456789',
  '87654321',
  '11111111',
  'aaaaaaaa',
  'abcabcabc',
  'abababab',
  'abcdefgh',
  'zyxwvuts',
  'qwertyuiop',
  'QwErTyUiOp',
  'asdfghjkl',
  'qwerty123',
  'Qwerty123!',
  '1qaz2wsx',
  '1q2w3e4r',
  'zaq12wsx',
  'qwer1234',
  'asdf1234',
  'abcd1234',
  '1234abcd',
  'letmein1',
  'trustno1',
  'iloveyou',
  'Iloveyou2',
  'welcome1',
  'Welcome2026!',
  'sunshine',
  'princess1',
  'football',
  'monkey12',
  'dragon99',
  'superman',
  'starwars',
  'michelle',
  'Summer2026',
  'Winter2025!',
  'changeme',
  'changeme123',
  'administrator',
  'admin123',
  'Admin@123',
  'root1234',
  'default1',
  'mooring1',
  'Mooring2026!',
  'mqtt1234',
  'device01',
  '11223344',
  '19871987',
  '1'.repeat(200),
  'password!!!',
  '!!password',
  '!QAZ2wsx',
  'ncc1701d',
  '31415926',
]

test('common passwords are refused in every variant', () => {
  for (const text of COMMON) assert.match(checkPassword(text, short) ?? 'taken', /too common/, text)
})

test('a password of several words does not count as common', () => {
  const fine = [
    'dragonfly over water',
    'correct horse battery',
    'Tr0ub4dor&3',
    'monkey wrench 7',
    'x7#kd0Lq',
    'passwordless-login',
    'qwerty is not it',
    'sommerabend am see',
    'my mqtt broker',
    'ao3k-29sl-xx1',
    'Zwölf Boxkämpfer',
  ]
  for (const text of fine) assert.equal(checkPassword(text, short), undefined, text)
})
