/** Certificates that are uploaded: each defect has its words. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { CertificateRefused, checkCertificate } from '../../../src/adapters/tls/certificate.ts'
import { makeAuthority } from '../../support/certificates.ts'

const HOST = 'refused.example.com'
const root = makeAuthority('Root')
const middle = root.subordinate('Middle')
const chainOf = (leaf: string): string => leaf + middle.cert + root.cert

const check = (
  chainPem: string,
  keyPem: string,
  more: { host?: string; complete?: boolean } = {},
) =>
  checkCertificate({ chainPem, keyPem }, { host: HOST, now: Date.now(), complete: true, ...more })

type Case = readonly [what: string, certificate: string, key: string, words: RegExp]

/** The faults of a certificate, and the words for them. */
function badOnes(hosts: readonly string[]): Case[] {
  const good = middle.issueAs({ hosts })
  const chain = chainOf(good.cert)
  const rsa = (modulusLength: number) =>
    middle.issueAs({ hosts, keys: generateKeyPairSync('rsa', { modulusLength }) })
  const [weak, long] = [rsa(1024), rsa(4104)]
  const curve = middle.issueAs({
    hosts,
    keys: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  })
  const encrypted = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
  }).privateKey
  const outsider = makeAuthority('Stranger')
  const expired = middle.issueAs({ hosts, years: [2020, 2021] })
  const early = middle.issueAs({ hosts, years: [2048, 2049] })
  const elsewhere = middle.issue('other.example.com')
  const above = middle.issue('*.refused.example.com')
  return [
    ['wrong key', chain, middle.issue(...hosts).key, /does not belong to the first certificate/],
    ['wrong order', middle.cert + good.cert + root.cert, good.key, /has to stand first/],
    [
      'wrong order of issuers',
      good.cert + root.cert + middle.cert,
      good.key,
      /certificate 1 is not signed by certificate 2/,
    ],
    ['forged issuer', good.cert + outsider.cert, good.key, /is not signed by/],
    ['no intermediate', good.cert, good.key, /is incomplete/],
    ['no private root', good.cert + middle.cert, good.key, /is incomplete/],
    ['expired', chainOf(expired.cert), expired.key, /has expired/],
    ['too early', chainOf(early.cert), early.key, /is not valid yet/],
    ['wrong name', chainOf(elsewhere.cert), elsewhere.key, /is for other names/],
    ['wildcard below', chainOf(above.cert), above.key, /is for other names/],
    ['weak key', chainOf(weak.cert), weak.key, /is too weak/],
    ['odd curve', chainOf(curve.cert), curve.key, /another curve/],
    ['encrypted key', chain, encrypted, /is encrypted/],
    ['long key', chainOf(long.cert), long.key, /is too long/],
    ['no key', chain, 'nothing', /contains no PEM private key/],
    ['two keys', chain, good.key + good.key, /one private key/],
    ['a key in the chain', chain + good.key, good.key, /contains a private key/],
    ['garbage', 'garbage', good.key, /contains no PEM certificate/],
    ['half a certificate', chain.slice(0, 300), good.key, /BEGIN or END/],
    ['garbled', chain.replace(/^M.{20}/m, 'MIIBAAAAAAAAAAAAAAAAA'), good.key, /malformed/],
    ['garbled key', chain, good.key.replace(/^M.{20}/m, 'MIIBAAAAAAAAAAAAAAAAA'), /malformed/],
    ['too many', good.cert + middle.cert.repeat(10), good.key, /more than 10/],
  ]
}

describe('a certificate', () => {
  for (const [what, certificate, key, words] of badOnes([HOST])) {
    test(`is refused: ${what}`, () => {
      assert.throws(
        () => check(certificate, key),
        (error) => {
          assert.ok(error instanceof CertificateRefused)
          assert.match(error.message, words)
          assert.doesNotMatch(error.message, /-----BEGIN/)
          return true
        },
      )
    })
  }

  test('is taken with its chain alone, whatever stands around it', () => {
    const { cert, key } = middle.issue(HOST)
    const { chainPem, keyPem, facts } = check(`subject=x\r\n${chainOf(cert)}`, `Bag\n${key}`)
    assert.deepEqual([chainPem, keyPem], [chainOf(cert), key])
    assert.deepEqual(facts.names, [HOST])
    assert.deepEqual([facts.keyType, facts.issuer], ['P-256', 'CN=Middle'])
  })

  test('is taken with blank lines in its blocks', () => {
    const { cert, key } = middle.issue(HOST)
    const spaced = (pem: string) => pem.replaceAll('\n', '\n\n')
    const { chainPem, keyPem } = check(spaced(chainOf(cert)), spaced(key))
    assert.deepEqual([chainPem, keyPem], [chainOf(cert), key])
  })

  test('of an authority that is known to lead to a root needs no root', () => {
    const { cert, key } = middle.issue(HOST)
    const chain = cert + middle.cert
    assert.equal(check(chain, key, { complete: false }).chainPem, chain)
  })
})
