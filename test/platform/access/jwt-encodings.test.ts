/** Access tokens with the right key and a wrong text: doubled members, odd claims, encodings. */
import assert from 'node:assert/strict'
import { createPublicKey, sign as signBytes, verify as verifyBytes } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { MAX_TOKEN_CHARACTERS } from '../../../src/platform/access/compact-jws.ts'
import { createTokenIssuer } from '../../../src/platform/access/jwt.ts'
import {
  forge,
  good,
  header,
  issuer,
  key,
  NOW,
  part,
  payload,
  refused,
} from '../../support/forged-tokens.ts'

test('a duplicate member is refused, in the header and in the claims', () => {
  const { kid, typ } = header
  const headers = [
    `{"alg":"none","alg":"EdDSA","kid":"${kid}","typ":"${typ}"}`,
    `{"alg":"EdDSA","kid":"x","kid":"${kid}","typ":"${typ}"}`,
    `{"alg":"EdDSA","kid":"${kid}","typ":"${typ}","typ":"${typ}"}`,
    `{"alg":"EdDSA","kid":"${kid}","typ":"${typ}","__proto__":{}}`,
    `{"alg":"EdDSA","kid":"${kid}","__proto__":{"typ":"${typ}"}}`,
  ]
  for (const text of headers) refused(forge(text, payload, key.privateKey), text)
  const claims = JSON.stringify(payload).slice(1)
  for (const first of [
    '"sub":"usr_2"',
    '"exp":1',
    '"aud":"x"',
    '"__proto__":{"a":1}',
    '"s\\u0075b":"u"',
  ]) {
    refused(forge(header, `{${first},${claims}`, key.privateKey), first)
  }
})

test('JSON in another form is refused', () => {
  const plain = JSON.stringify(header)
  const dresses = [
    ` ${plain}`,
    `${plain}\n`,
    plain.replace(':', ': '),
    `\ufeff${plain}`,
    `[${plain}]`,
    `"${plain}"`,
    plain.replace('EdDSA', 'Ed\\u0044SA'),
    plain.replace('}', ',}'),
    `${plain}${plain}`,
    'null',
    '""',
    '{}',
    '[]',
    'EdDSA',
    plain.replaceAll('"', "'"),
    `{"a":`.repeat(900),
    '['.repeat(5000),
  ]
  for (const text of dresses) refused(forge(text, payload, key.privateKey), text.slice(0, 40))
  const claims = JSON.stringify(payload)
  for (const text of [
    ` ${claims}`,
    `${claims} `,
    `[${claims}]`,
    claims.replace(`${NOW}`, `${NOW}.0`),
    'null',
    '',
  ]) {
    refused(forge(header, text, key.privateKey), text.slice(0, 40))
  }
  const broken = Buffer.from(claims.replace('usr_1', 'usr_\xff'), 'latin1')
  const input = `${part(header)}.${broken.toString('base64url')}`
  const signature = signBytes(null, Buffer.from(input), key.privateKey).toString('base64url')
  refused(`${input}.${signature}`, 'claims that are no UTF-8')
})

test('claims of a wrong type or out of range are refused', () => {
  const wrong: Record<string, unknown[]> = {
    iss: ['service.moid', 'service.console/', 'Service.Console', ['service.console'], '', null, 0],
    aud: [['mooring.console'], ['mooring.console', 'x'], 'mooring.console ', '', null, {}],
    sub: ['', null, 1, ['usr_1'], { id: 'usr_1' }, true],
    sid: ['', null, 1, ['ses_1'], {}],
    jti: ['', null, 1, [], {}],
    exp: [
      null,
      '1800000900',
      NOW,
      NOW - 1,
      -1,
      0,
      1e18,
      1e300,
      NOW + 900.5,
      NOW + 86_401,
      [NOW + 900],
      true,
    ],
    iat: [null, String(NOW), NOW + 61, NOW + 900, -1, NOW - 0.5, NOW - 86_000, 1e18, {}],
    nbf: [null, NOW + 61, String(NOW), -1, NOW + 0.5, 1e18, []],
  }
  for (const [claim, values] of Object.entries(wrong)) {
    for (const value of values) {
      refused(
        forge(header, { ...payload, [claim]: value }, key.privateKey),
        `${claim} ${String(value)}`,
      )
    }
    if (claim === 'nbf') continue
    const { [claim]: _left, ...rest } = payload as Record<string, unknown>
    refused(forge(header, rest, key.privateKey), `no ${claim}`)
  }
  assert.ok(issuer.verify(forge(header, { ...payload, nbf: NOW + 60 }, key.privateKey)))
  assert.ok(issuer.verify(forge(header, { ...payload, iat: NOW + 60 }, key.privateKey)))
  refused(
    forge(header, JSON.stringify(payload).replace(`${NOW + 900}`, 'NaN'), key.privateKey),
    'NaN',
  )
})

/** Encodings under which a lenient reader still finds the same bytes. */
function otherEncodings(token: string): string[] {
  const [head = '', body = '', signature = ''] = token.split('.')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const endings = alphabet.split('').filter((sign) => sign !== token.at(-1))
  return [
    ...endings.map((sign) => token.slice(0, -1) + sign),
    ...['=', '==', ' ', '\n', '\t', '\0', '.', '%', ','].flatMap((sign) => [
      token + sign,
      sign + token,
    ]),
    ...['=', ' ', '\n', '\r\n'].flatMap((sign) => [
      `${head}${sign}.${body}.${signature}`,
      `${head}.${body}${sign}.${signature}`,
      `${head}.${sign}${body}.${signature}`,
      `${head}.${body}.${sign}${signature}`,
    ]),
    token.replaceAll('-', '+').replaceAll('_', '/') + (/[-_]/.test(token) ? '' : '+'),
    `${head}.${body}`,
    `${head}..${signature}`,
    `.${body}.${signature}`,
    '..',
    '',
    '.',
    `${head}.${body}.`,
    `${token}.${signature}`,
    `${head}.${head}.${body}.${signature}.${signature}`,
    `${body}.${head}.${signature}`,
    `Bearer ${token}`,
    `"${token}"`,
    encodeURIComponent(`${token} `),
    token.replace('.', '%2E'),
    JSON.stringify({ protected: head, payload: body, signature }),
    JSON.stringify({ payload: body, signatures: [{ protected: head, signature }] }),
    token.replace(/[A-Za-z]/, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
    token.toLowerCase(),
    token.toUpperCase(),
  ]
}

test('a valid token has one form', () => {
  for (let count = 0; count < 100; count++) {
    const token = issuer.sign({ sub: 'usr_1', sid: 'ses_1', n: 'x'.repeat(count % 7) }, 900)
    assert.ok(issuer.verify(token))
    for (const text of otherEncodings(token)) refused(text, text)
  }
})

test('every change of one character is refused', () => {
  for (let at = 0; at < good.length; at++) {
    const old = good.charCodeAt(at)
    for (const code of [old ^ 1, old ^ 32, 0x41, 0x2e]) {
      if (code !== old)
        refused(good.slice(0, at) + String.fromCharCode(code) + good.slice(at + 1), `${at}`)
    }
  }
})

test('no text causes an error, and any generated text is refused', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.base64String(), { maxLength: 6 }).map((parts) => parts.join('.')),
    fc.tuple(fc.json(), fc.json()).map(([head, body]) => forge(head, body, key.privateKey)),
    fc.json().map((body) => forge(header, body, key.privateKey)),
  )
  fc.assert(fc.property(text, (token) => issuer.verify(token) === undefined))
})

test('a token above the limit is refused before its signature is checked', () => {
  const padded = (length: number): string => {
    const filler = (count: number) =>
      forge(header, { ...payload, note: 'x'.repeat(count) }, key.privateKey)
    let count = Math.floor((length - filler(0).length) * 0.75)
    while (filler(count + 1).length <= length) count++
    return filler(count)
  }
  assert.ok(issuer.verify(padded(MAX_TOKEN_CHARACTERS)))
  refused(padded(MAX_TOKEN_CHARACTERS + 4), 'above the limit')
  refused(`${part(header)}.${'A'.repeat(1_000_000)}.${'A'.repeat(86)}`, 'a megabyte')
})

test('the JWS of RFC 8037 is genuine, and still no token of ours', () => {
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
  const jws =
    'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg'
  const end = jws.lastIndexOf('.')
  const signature = Buffer.from(jws.slice(end + 1), 'base64url')
  assert.ok(verifyBytes(null, Buffer.from(jws.slice(0, end)), publicKey, signature))
  const lenient = createTokenIssuer({
    issuer: 'service.console',
    audience: 'mooring.console',
    typ: 'console-at+jwt',
    keys: () => [{ kid: '', publicKey, state: 'active' }],
    clock: { now: () => NOW * 1000 },
  })
  assert.equal(lenient.verify(jws), undefined)
})
