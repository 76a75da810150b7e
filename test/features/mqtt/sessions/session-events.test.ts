/** What a broker reports of sessions reaches every subscriber, whatever the others do with it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectRefusal, ConnectRequest } from '../../../../src/adapters/broker/port.ts'
import { reportTo } from '../../../../src/features/mqtt/sessions/session-events.ts'
import { SessionRegistry } from '../../../../src/features/mqtt/sessions/session-registry.ts'

test('a subscriber that throws does not keep the event from the next one', () => {
  const received: string[] = []
  const warnings: unknown[] = []
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
      warn: (_message, error) => warnings.push(error),
    },
  )
  events.refused({} as ConnectRequest, {} as ConnectRefusal)
  assert.deepEqual(received, ['first', 'last'])
  assert.deepEqual(warnings, [fault])
})
