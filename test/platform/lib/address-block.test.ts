/** The block that counts as one address. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressBlocks } from '../../../src/platform/lib/address-block.ts'

const names = (address: string | undefined): string[] =>
  addressBlocks(address).map(({ name }) => name)

test('the /64, the /56 and the /48 of IPv6 count, however an address is written', () => {
  const same = [
    '2001:db8:0:107::',
    '2001:DB8::107:1:2:3:4',
    '2001:0db8:0000:0107::1',
    '2001:db8:0:107::%e',
  ]
  const blocks = ['2001:db8:0:107::/64', '2001:db8:0:100::/56', '2001:db8:0::/48']
  for (const address of same) assert.deepEqual(names(address), blocks, address)
  assert.deepEqual(names('2001:db8:0:1ff::'), ['2001:db8:0:1ff::/64', ...blocks.slice(1)])
  assert.deepEqual(names('2001:db8:0:207::').slice(1), ['2001:db8:0:200::/56', blocks[2]])
  assert.deepEqual(names('fe80::1%eth0'), ['fe80:0:0:0::/64', 'fe80:0:0:0::/56', 'fe80:0:0::/48'])
  assert.equal(names('::1')[0], '0:0:0:0::/64')
  assert.equal(names('64:ff9b::192.0.2.1')[0], '64:ff9b:0:0::/64')
})

test('a wider network has a larger budget, which is far from that of all its parts', () => {
  const budgets = addressBlocks('2001:db8::1').map(({ budget }) => budget)
  assert.deepEqual(budgets, [1, 2, 4])
})

test('an IPv4 address counts by itself, in the form of IPv6 too', () => {
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1']) {
    assert.deepEqual(addressBlocks(address), [{ name: '192.0.2.1', budget: 1 }])
  }
  assert.deepEqual(names('emqx'), ['emqx'])
  assert.deepEqual(names(undefined), [''])
})
