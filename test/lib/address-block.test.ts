/** What is counted as one address. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressBlock } from '../../src/lib/address-block.ts'

test('of IPv6 a network of 64 bits counts as one, however its addresses are spelled', () => {
  const same = [
    '2001:db8:0:7::',
    '2001:DB8::7:1:2:3:4',
    '2001:0db8:0000:0007::1',
    '2001:db8:0:7::%e',
  ]
  for (const address of same) assert.equal(addressBlock(address), '2001:db8:0:7::/64', address)
  assert.equal(addressBlock('2001:db8:0:8::'), '2001:db8:0:8::/64')
  assert.equal(addressBlock('fe80::1%eth0'), 'fe80:0:0:0::/64')
  assert.equal(addressBlock('::1'), '0:0:0:0::/64')
  assert.equal(addressBlock('64:ff9b::192.0.2.1'), '64:ff9b:0:0::/64')
})

test('an IPv4 address counts by itself, in the form of IPv6 too', () => {
  assert.equal(addressBlock('192.0.2.1'), '192.0.2.1')
  assert.equal(addressBlock('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(addressBlock('emqx'), 'emqx')
  assert.equal(addressBlock(undefined), '')
})
