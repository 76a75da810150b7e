/** Events that are held back reach every subscriber, whatever the others do with them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectRefusal, ConnectRequest } from '../../../../src/adapters/broker/port.ts'
import type { Closing } from '../../../../src/features/mqtt/sessions/session-events.ts'
import { SessionRecorder } from '../../../../src/features/mqtt/sessions/session-recorder.ts'
import type { LiveSession } from '../../../../src/features/mqtt/sessions/session-registry.ts'

test('a subscriber that throws keeps neither the event from the next one nor later events', () => {
  const received: string[] = []
  const failures: unknown[] = []
  const fault = new Error('a subscriber is broken')
  const fail = (): never => {
    throw fault
  }
  const recorder = new SessionRecorder(
    [
      { opened: fail, closed: fail, refused: fail, admitted: fail },
      {
        opened: () => received.push('opened'),
        closed: () => received.push('closed'),
        refused: () => received.push('refused'),
        admitted: () => received.push('admitted'),
      },
    ],
    (error) => failures.push(error),
  )
  const live = {} as LiveSession
  recorder.opened(live, true)
  recorder.closed(live, {} as Closing)
  recorder.refused({} as ConnectRequest, {} as ConnectRefusal)
  recorder.admitted(live, 'far')
  assert.deepEqual(received, ['refused', 'admitted'])
  recorder.deliver()
  assert.deepEqual(received, ['refused', 'admitted', 'opened', 'closed'])
  assert.deepEqual(failures, [fault, fault, fault, fault])
})
