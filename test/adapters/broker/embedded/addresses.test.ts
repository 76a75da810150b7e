/** The unit of one address at the embedded broker, where loopback has too few to show it. */
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { generate } from 'mqtt-packet'
import { Engine } from '../../../../src/adapters/broker/embedded/engine.ts'
import {
  PendingConnections,
  type ByteStream,
} from '../../../../src/adapters/broker/embedded/pending-connections.ts'
import { DEFAULT_LIMITS } from '../../../../src/adapters/broker/embedded/limits.ts'
import {
  sourceOf,
  FailedAuthLimiter,
} from '../../../../src/features/mqtt/credentials/failed-auth-limiter.ts'
import { TestAuthority } from '../test-authority.ts'

test('a network of IPv6 counts as one address, here and for wrong secrets', () => {
  const limits = {
    ...DEFAULT_LIMITS,
    undecidedSocketsPerAddress: 1,
    connectsPerSecondPerAddress: 0.1,
  }
  const pendingConnections = new PendingConnections(limits)
  const [first, second, other, third] = [1, 2, 3, 4].map(
    () => Object.assign(new PassThrough(), { setKeepAlive: () => {} }) as ByteStream,
  )
  assert.ok(first && second && other && third)
  assert.equal(pendingConnections.enter(first, '2001:db8:0:7::1'), true)
  assert.equal(pendingConnections.enter(second, '2001:db8:0:7:ffff::'), false)
  assert.equal(pendingConnections.enter(other, '2001:db8:0:8::1'), true)
  assert.equal(
    pendingConnections.enter(third, '2001:db8:0:9::1'),
    false,
    'two connections come from one /56',
  )
  assert.equal(pendingConnections.enter(third, '2001:db8:0:109::1'), true)
  pendingConnections.leave(first)
  assert.equal(pendingConnections.enter(second, '2001:db8:0:7:ffff::'), true)

  const authority = new TestAuthority()
  const asked: string[] = []
  authority.connect = ({ address }) => {
    asked.push(address)
    return { accepted: false, reason: 'bad_credentials' }
  }
  const engine = new Engine({ authority, log: { warn() {}, error() {} }, limits, store: undefined })
  const addresses = ['7::1', '7:ffff::', '8::1', '9::1', '109::1'].map((end) => `2001:db8:0:${end}`)
  for (const remoteAddress of addresses) {
    const stream = Object.assign(new PassThrough(), { remoteAddress, setKeepAlive: () => {} })
    engine.accept(stream, 'tcp')
    stream.emit('data', generate({ cmd: 'connect', clientId: 'x', clean: true, keepalive: 0 }))
    stream.destroy()
  }
  assert.deepEqual(asked, ['2001:db8:0:7::1', '2001:db8:0:8::1', '2001:db8:0:109::1'])
  const wrong = new FailedAuthLimiter()
  for (let network = 0; network < 20; network += 1) {
    const source = sourceOf('dev_1', `2001:db8:0:${(0x700 + network).toString(16)}::`)
    assert.equal(wrong.mayRead(source), true)
    wrong.add(source)
  }
  assert.equal(wrong.mayRead(sourceOf('dev_1', '2001:db8:0:7ff::')), false)
  assert.equal(wrong.mayRead(sourceOf('dev_1', '2001:db8:0:800::')), true)
  assert.equal(wrong.mayRead(sourceOf('dev_2', '2001:db8:0:7ff::')), true)
})
