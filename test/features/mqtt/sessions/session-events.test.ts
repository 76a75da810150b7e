/** Reports of a broker about sessions reach every subscriber, whatever the others do with them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectRefusal, ConnectRequest, Grant } from '../../../../src/adapters/broker/port.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { reportTo } from '../../../../src/features/mqtt/sessions/session-events.ts'
import { SessionRegistry } from '../../../../src/features/mqtt/sessions/session-registry.ts'

test('a subscriber that throws does not keep the event from the next one', () => {
  const received: string[] = []
  const failures: unknown[] = []
  const fault = new Error('a subscriber is broken')
  const events = reportTo(
    [
      { refused: () => received.push('first') },
      {
        refused() {
          throw fault
        },
      },
      { refused: () => received.push('last') },
    ],
    {
      registry: new SessionRegistry(),
      clock: { now: () => 0 },
      failed: (error) => failures.push(error),
    },
  )
  events.refused({} as ConnectRequest, {} as ConnectRefusal)
  assert.deepEqual(received, ['first', 'last'])
  assert.deepEqual(failures, [fault])
})

test('a session on an external broker reaches the same list, and opens no session here', () => {
  const received: unknown[] = []
  const registry = new SessionRegistry()
  const [id, workspaceId] = [newUuid(), newUuid()]
  const grant: Grant = {
    principalId: 'dev_1',
    workspaceId: 'ws_1',
    credentialVersion: 1,
    topicPrefix: 'acme/pump',
    isFirst: true,
    expiresAt: null,
    rules: [],
    basis: {
      since: 0,
      credential: { kind: 'device', id, name: 'dev_1', workspaceId, refs: [], isFirst: true },
      secret: { expiresAt: null },
    },
  }
  const events = reportTo(
    [
      {
        opened: () => assert.fail('it is not a session of this process'),
        admitted: ({ device, session }, broker) =>
          received.push([broker, device?.deviceId, session.clientId, session.grant.isFirst]),
      },
    ],
    { registry, clock: { now: () => 0 }, failed: (error) => assert.fail(String(error)) },
  )
  const request = { clientId: 'dev_1:a', address: '10.0.0.1', protocolVersion: 5 }
  events.admitted({ ...request, username: 'dev_1', password: undefined }, grant, 'far')
  assert.deepEqual(received, [['far', id, 'dev_1:a', true]])
  assert.deepEqual(registry.all(), [])
})
