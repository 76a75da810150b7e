/** E-mail addresses: one form for each account, no twins in other scripts or forms. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { canonicalEmail } from '../../../src/platform/access/passwords.ts'

test('a plain address is taken, in lower case', () => {
  const forms = {
    'admin@example.com': 'admin@example.com',
    'ADMIN@Example.COM': 'admin@example.com',
    'first.last+tag@sub.example.co.uk': 'first.last+tag@sub.example.co.uk',
    "o'neill!#$%&*/=?^_`{|}~-x@example.com": "o'neill!#$%&*/=?^_`{|}~-x@example.com",
    'owner@localhost': 'owner@localhost',
    'a@b.c': 'a@b.c',
    '1234@1and1.com': '1234@1and1.com',
    'x@xn--bcher-kva.example': 'x@xn--bcher-kva.example',
  }
  for (const [text, form] of Object.entries(forms)) assert.equal(canonicalEmail(text), form)
})

test('twins in other scripts and invisible additions are refused', () => {
  const twins = [
    '\u212aelvin@example.com',
    'adm\u0131n@example.com',
    'adm\u0130n@example.com',
    'admi\u017f@example.com',
    '\uff41dmin@example.com',
    'admin\uff20example.com',
    'admin@ex\u0430mple.com',
    'admin@example\u3002com',
    'ad\u200bmin@example.com',
    'ad\u00admin@example.com',
    '\ufeffadmin@example.com',
    'admin@example.com\u200e',
    'admi\u0301n@example.com',
    '\u00e1dmin@example.com',
    'admin@b\u00fccher.example',
    'ad\ud800min@example.com',
    'admin\0@example.com',
    '\u202eadmin@example.com',
    'admin@\u24d4xample.com',
    'stra\u00dfe@example.com',
  ]
  for (const text of twins) assert.equal(canonicalEmail(text), undefined, JSON.stringify(text))
})

test('other forms of the same mailbox are refused', () => {
  const variants = [
    ' admin@example.com',
    'admin@example.com ',
    'admin@example.com\n',
    '\tadmin@example.com',
    'admin @example.com',
    'admin@ example.com',
    'admin@example.com.',
    'admin.@example.com',
    '.admin@example.com',
    'ad..min@example.com',
    '"admin"@example.com',
    '"ad min"@example.com',
    'ad\\min@example.com',
    'admin(x)@example.com',
    '(x)admin@example.com',
    'Admin <admin@example.com>',
    '<admin@example.com>',
    'admin@[127.0.0.1]',
    'admin@[IPv6:::1]',
    'admin@127.0.0.1',
    'admin@example..com',
    'admin@.example.com',
    'admin@-example.com',
    'admin@example-.com',
    'admin@exa_mple.com',
    'admin@example,com',
    'admin@example.com,b@example.com',
    'admin@@example.com',
    'a@dmin@example.com',
    '@example.com',
    'admin@',
    'admin',
    '',
    '@',
    'mailto:admin@example.com',
    'admin%40example.com',
    'admin@example.com?x=y',
    'admin;b@example.com',
    'admin@example.123',
  ]
  for (const text of variants) assert.equal(canonicalEmail(text), undefined, JSON.stringify(text))
})

test('the length limits of RFC 5321 hold to the character', () => {
  const label = (count: number): string => 'd'.repeat(count)
  assert.ok(canonicalEmail(`${'l'.repeat(64)}@example.com`))
  assert.equal(canonicalEmail(`${'l'.repeat(65)}@example.com`), undefined)
  assert.ok(canonicalEmail(`x@${label(63)}.com`))
  assert.equal(canonicalEmail(`x@${label(64)}.com`), undefined)
  const domain = (count: number): string => `${label(63)}.${label(63)}.${label(count)}`
  assert.equal(`${'l'.repeat(64)}@${domain(61)}`.length, 254)
  assert.ok(canonicalEmail(`${'l'.repeat(64)}@${domain(61)}`))
  assert.equal(canonicalEmail(`${'l'.repeat(64)}@${domain(62)}`), undefined)
  for (const text of [
    'a'.repeat(5_000_000),
    `${'a.'.repeat(1_000_000)}@b.c`,
    '@'.repeat(1_000_000),
  ]) {
    assert.equal(canonicalEmail(text), undefined)
  }
})

test('the canonical form is its own canonical form, whatever the case it came in', () => {
  const address = fc.emailAddress({ size: 'small' })
  fc.assert(
    fc.property(fc.oneof(address, fc.string({ unit: 'grapheme' })), (text) => {
      const form = canonicalEmail(text)
      if (form === undefined) return
      assert.equal(canonicalEmail(form), form)
      assert.equal(canonicalEmail(text.toUpperCase()), form)
      assert.match(form, /^[!-~]+$/)
    }),
  )
})
