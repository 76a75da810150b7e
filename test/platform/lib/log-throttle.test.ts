/** Repeated log messages: one for each thing and pause. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { LogThrottle } from '../../../src/platform/lib/log-throttle.ts'

test('a message is due once in a pause, for each thing, and after a reset', () => {
  const throttle = new LogThrottle()
  assert.ok(throttle.isDue('a'))
  assert.ok(!throttle.isDue('a'))
  assert.ok(throttle.isDue('b'))
  throttle.reset('a')
  assert.ok(throttle.isDue('a'))
  assert.ok(!throttle.isDue('b'))
})

test('a message is due again after the pause', async () => {
  const throttle = new LogThrottle(5)
  assert.ok(throttle.isDue())
  await sleep(10)
  assert.ok(throttle.isDue())
})
