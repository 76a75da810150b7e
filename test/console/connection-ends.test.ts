/** The console about a connection: whether it is open, and how it ended, if that is known. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainDevice, explainDuration } from '../../console/src/pages/devices/reasons.ts'
import type { ConnectionAttempt, Device } from '../../sdk/schema.ts'

const accepted = (how: Partial<ConnectionAttempt>): ConnectionAttempt => ({
  accepted: true,
  reason: null,
  attempts: 1,
  at: new Date().toISOString(),
  last_at: new Date().toISOString(),
  client_id: 'a',
  address: '127.0.0.1',
  protocol: '5',
  session: 'open',
  ended_at: null,
  end_reason: null,
  duration_s: null,
  ...how,
})

const there = { connected: true, status: 'active', approval: 'approved' } as Device
const gone = { connected: false, status: 'active', approval: 'approved' } as Device

const whyOf = (attempt: ConnectionAttempt) => explainDevice(gone, [attempt], true)?.what

test('only an open session is still connected', () => {
  assert.match(explainDuration(accepted({})), /; still connected$/)
  const ended_at = new Date().toISOString()
  const ended = accepted({ session: 'ended', ended_at, end_reason: 'taken_over', duration_s: 60 })
  assert.equal(explainDuration(ended), '1 min, then another connection used the same client id')
})

test('if it is not known when a session ended, the console says so', () => {
  const lost = accepted({ session: 'ended' })
  assert.equal(explainDuration(lost), 'unknown: the service stopped meanwhile')
  assert.equal(whyOf(lost), 'Offline, since when is not known: the service stopped meanwhile.')
  const external = accepted({ session: 'unknown' })
  assert.equal(explainDuration(external), 'unknown: its end was not reported')
  assert.equal(whyOf(external), 'Its last connection was accepted. Its end was not reported.')
})

test('an offline device has the time and the reason of its last end', () => {
  const on = (ended_at: string): ConnectionAttempt =>
    accepted({ session: 'ended', ended_at, end_reason: 'client', duration_s: 60 })
  const reason = ': it disconnected, or its connection was lost\\.$'
  const today = whyOf(on(new Date().toISOString())) ?? ''
  assert.match(today, new RegExp(`^Offline since \\d+:\\d+\\s[AP]M${reason}`))
  const before = whyOf(on('2026-01-05T12:00:00.000Z')) ?? ''
  assert.match(before, new RegExp(`^Offline since Jan \\d, 2026, \\d+:\\d+\\s[AP]M${reason}`))
})

test('a client id used twice is a warning while it is, and a note for a while after', () => {
  const replacedUntil = (secondsAgo: number) =>
    Array.from({ length: 6 }, (_, at) =>
      accepted({
        session: 'ended',
        ended_at: new Date(Date.now() - 1000 * (secondsAgo + at)).toISOString(),
        end_reason: 'taken_over',
      }),
    )
  const now = explainDevice(there, replacedUntil(1), true)
  assert.match(now?.what ?? '', /^Replaced 6 times within \d s: two programs seem to use/)
  assert.equal(now?.todo, 'Stop one of them, or let it connect as “a:2”.')
  const over = explainDevice(there, replacedUntil(60), true)
  assert.match(
    over?.what ?? '',
    /^It is connected\. Until \d+:\d+:\d+.*replaced each other 6 times\.$/,
  )
  assert.equal(over?.todo, undefined)
})
