/** Where webhooks may go: no form of an address, name or response of a name server leads inside. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDnsResolver } from '../../../src/adapters/dns/resolver.ts'
import {
  isPublicAddress,
  readTargetUrl,
  NoAddress,
  resolveTarget,
  TargetRefused,
} from '../../../src/adapters/webhook-sender/target.ts'
import { startNameServer } from './name-server.ts'

const strict = { allowedHosts: [], dns: createDnsResolver() }

const inside = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::a00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd00::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
]

test('addresses that are not of the open Internet are known, in every family', () => {
  for (const address of inside) assert.equal(isPublicAddress(address), false, address)
  for (const address of ['8.8.8.8', '100.128.0.1', '172.32.0.1', '198.20.0.1', '2606:4700::1111']) {
    assert.equal(isPublicAddress(address), true, address)
  }
  assert.equal(isPublicAddress('localhost'), false)
})

test('no form of an address inside is accepted', () => {
  const variants = [
    '127.1',
    '127.0.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '0',
    '127.0.0.1.',
    '①②⑦.0.0.1',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:10.0.0.1]',
    '[fe80::1%25lo]',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'printer.local',
    'metadata.google.internal',
    'router',
    ...inside.map((address) => (address.includes(':') ? `[${address}]` : address)),
  ]
  for (const host of variants) {
    for (const url of [`https://${host}/`, `https://${host}:8443/x?y=z`]) {
      assert.equal(typeof readTargetUrl(url, strict), 'string', url)
    }
  }
})

test('a URL that is not plain https is refused', () => {
  const wrong = [
    '',
    'x',
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://example.com/#x',
    'https://example.com/\r\nx: y',
    'https://example.com\\@127.0.0.1/',
    ' https://example.com/',
    `https://example.com/${'x'.repeat(2_048)}`,
  ]
  for (const url of wrong) assert.equal(typeof readTargetUrl(url, strict), 'string', url)
  for (const url of [
    'https://example.com/',
    'https://example.com:8443/a?b=c',
    'https://8.8.8.8/',
  ]) {
    assert.ok(readTargetUrl(url, strict) instanceof URL, url)
  }
})

test('a host that is allowed may be private, and without TLS; no other one is', () => {
  const rules = { ...strict, allowedHosts: ['127.0.0.1', 'hooks.internal'] }
  for (const url of ['http://127.0.0.1:9/', 'https://127.1/', 'http://hooks.internal/x']) {
    assert.ok(readTargetUrl(url, rules) instanceof URL, url)
  }
  for (const url of ['http://127.0.0.2/', 'http://a.hooks.internal/', 'ftp://hooks.internal/']) {
    assert.equal(typeof readTargetUrl(url, rules), 'string', url)
  }
})

test('a name that stands for an address inside is refused, even alongside a public one', async (t) => {
  const responses: Record<string, string[]> = {
    'in.example.com': ['127.0.0.1'],
    'mixed.example.com': ['8.8.8.8', '169.254.169.254'],
    'none.example.com': [],
    'out.example.com': ['8.8.8.8', '1.1.1.1'],
  }
  const { address } = await startNameServer(t, (name) => responses[name] ?? [])
  const rules = { ...strict, dns: createDnsResolver({ servers: [address] }) }
  for (const name of ['in', 'mixed']) {
    const url = new URL(`https://${name}.example.com/`)
    await assert.rejects(resolveTarget(url, rules), TargetRefused, name)
  }
  // Nobody can allow it: the receiver cannot be reached.
  const none = new URL('https://none.example.com/')
  await assert.rejects(resolveTarget(none, rules), NoAddress)
  const target = await resolveTarget(new URL('https://out.example.com/'), rules)
  assert.deepEqual([target.address, target.family], ['8.8.8.8', 4])
})

test('a name that gets another address after its check does not change the target', async (t) => {
  const turns = [['8.8.8.8'], ['127.0.0.1']]
  const server = await startNameServer(t, () => turns.shift() ?? [])
  const rules = { ...strict, dns: createDnsResolver({ servers: [server.address] }) }
  const url = new URL('https://rebind.example.com/')
  const { address } = await resolveTarget(url, rules)
  assert.equal(address, '8.8.8.8')
  assert.equal(server.asked.length, 1)
  await assert.rejects(resolveTarget(url, rules), TargetRefused)
})
