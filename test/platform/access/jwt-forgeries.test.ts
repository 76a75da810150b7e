/** Access tokens that this service never made: other algorithms, keys and headers. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { test } from 'node:test'
import { newSigningKey } from '../../../src/platform/access/jwt.ts'
import {
  forge,
  forgeHmac,
  good,
  header,
  issuer,
  key,
  part,
  payload,
  refused,
  retired,
} from '../../support/forged-tokens.ts'

test('a token of the forger that is right in every point is accepted', () => {
  assert.ok(issuer.verify(good))
  const { typ, kid, alg } = header
  assert.ok(issuer.verify(forge({ typ, kid, alg }, payload, key.privateKey)))
  assert.ok(issuer.verify(forge({ ...header, kid: retired.kid }, payload, retired.privateKey)))
})

test('no other algorithm is taken, signed or not', () => {
  const others = [
    'none',
    'None',
    'nOnE',
    'NONE',
    'noNE',
    '',
    ' EdDSA',
    'EdDSA ',
    'eddsa',
    'EDDSA',
    'Ed25519',
    'Ed448',
    'HS256',
    'HS384',
    'HS512',
    'RS256',
    'PS256',
    'ES256',
    'ES256K',
    'ES512',
    'RSA-OAEP',
    'dir',
    null,
    0,
    true,
    ['EdDSA'],
    { alg: 'EdDSA' },
  ]
  for (const alg of others) {
    const forged = forge({ ...header, alg }, payload, key.privateKey)
    refused(forged, alg)
    refused(`${forged.slice(0, forged.lastIndexOf('.'))}.`, { alg, unsigned: true })
  }
})

test('the public key is no HMAC secret, in whatever form', () => {
  const jwk = key.publicKey.export({ format: 'jwk' })
  const pem = key.publicKey.export({ format: 'pem', type: 'spki' }).toString()
  const secrets = [
    pem,
    pem.trim(),
    `\n${pem}`,
    `\r\n${pem}`,
    key.publicKey.export({ format: 'der', type: 'spki' }),
    JSON.stringify(jwk),
    jwk.x ?? '',
    Buffer.from(jwk.x ?? '', 'base64url'),
    '',
    key.kid,
  ]
  for (const alg of ['HS256', 'EdDSA']) {
    for (const secret of secrets) refused(forgeHmac({ ...header, alg }, payload, secret), alg)
  }
})

test('a signature of another kind of key is refused, also when its length fits', () => {
  const input = `${part(header)}.${part(payload)}`
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const signatures = [
    signBytes('sha256', Buffer.from(input), { key: curve, dsaEncoding: 'ieee-p1363' }),
    signBytes('sha256', Buffer.from(input), rsa),
    signBytes(null, Buffer.from(input), generateKeyPairSync('ed448').privateKey),
    Buffer.alloc(64),
    Buffer.alloc(64, 0xff),
    Buffer.alloc(0),
  ]
  for (const signature of signatures) refused(`${input}.${signature.toString('base64url')}`, 'kind')
})

test('the second signature that mathematics allows is refused', () => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const [head = '', body = '', text = ''] = good.split('.')
  const signature = Buffer.from(text, 'base64url')
  const reverse = (bytes: Buffer): Buffer => Buffer.from(bytes.toReversed())
  const scalar = BigInt(`0x${reverse(signature.subarray(32)).toString('hex')}`)
  const twin = reverse(Buffer.from((scalar + order).toString(16).padStart(64, '0'), 'hex'))
  const other = Buffer.concat([signature.subarray(0, 32), twin]).toString('base64url')
  refused(`${head}.${body}.${other}`, 'S + L')
})

test('a kid that is not a kid of this issuer is refused', () => {
  const foreign = newSigningKey()
  const kids = [
    foreign.kid,
    '',
    '../../dev/null',
    "' OR 1=1 --",
    key.kid.toLowerCase(),
    `${key.kid} `,
    `${key.kid}\0`,
    'k'.repeat(1000),
    '__proto__',
    'constructor',
    'toString',
    null,
    0,
    true,
    [key.kid],
    { kid: key.kid },
  ]
  for (const kid of kids) {
    refused(forge({ ...header, kid }, payload, foreign.privateKey), kid)
    refused(forge({ ...header, kid }, payload, key.privateKey), kid)
  }
  refused(forge({ ...header, kid: retired.kid }, payload, key.privateKey), 'the other key')
  refused(forge({ alg: 'EdDSA', typ: header.typ }, payload, key.privateKey), 'no kid')
})

test('another typ, or none, is refused', () => {
  for (const typ of [
    'JWT',
    'at+jwt',
    'moid-at+jwt',
    'Console-at+jwt',
    'application/console-at+jwt',
    '',
    null,
    1,
  ]) {
    refused(forge({ ...header, typ }, payload, key.privateKey), typ)
  }
  refused(forge({ alg: 'EdDSA', kid: key.kid }, payload, key.privateKey), 'no typ')
})

test('a header with one member more is refused, whatever it says', () => {
  const jwk = key.publicKey.export({ format: 'jwk' })
  const more = {
    jku: 'http://127.0.0.1:1/jwks',
    x5u: 'http://127.0.0.1:1/cert',
    jwk,
    x5c: ['MIIB'],
    x5t: 'x',
    crit: ['exp'],
    b64: true,
    cty: 'JWT',
    zip: 'DEF',
    enc: 'A256GCM',
    nonce: 'n',
    iss: payload.iss,
  }
  for (const [name, value] of Object.entries(more)) {
    refused(forge({ ...header, [name]: value }, payload, key.privateKey), name)
  }
  refused(forge({ ...header, crit: ['b64'], b64: false }, payload, key.privateKey), 'b64')
  const attacker = newSigningKey()
  const own = { ...header, jwk: attacker.publicKey.export({ format: 'jwk' }) }
  refused(forge(own, payload, attacker.privateKey), 'key of the attacker')
})
