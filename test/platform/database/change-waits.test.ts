/** Anyone who waits for a change is woken by that change, and by nothing else but the end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangeWaits } from '../../../src/platform/database/change-waits.ts'

const never = new AbortController().signal
const LONG_MS = 60_000

test('a change wakes all that wait for it, and no others', async () => {
  const waits = new ChangeWaits()
  const [one, two] = [waits.next('a', LONG_MS, never), waits.next('a', LONG_MS, never)]
  const stop = new AbortController()
  const other = waits.next('b', LONG_MS, stop.signal)
  waits.wake('a')
  assert.deepEqual(await Promise.all([one, two]), [true, true])
  stop.abort()
  assert.equal(await other, false)
})

test('a timeout, an abort signal and the end complete a wait without a change', async () => {
  const waits = new ChangeWaits()
  assert.equal(await waits.next('a', 5, never), false)
  assert.equal(await waits.next('a', 0, never), false)
  assert.equal(await waits.next('a', LONG_MS, AbortSignal.abort()), false)
  assert.equal(await waits.next('a', LONG_MS, AbortSignal.timeout(5)), false)
  const waiting = waits.next('a', LONG_MS, never)
  waits.end()
  assert.equal(await waiting, false)
  assert.equal(await waits.next('a', LONG_MS, never), false)
})

test('all that wait check again after a gap', async () => {
  const waits = new ChangeWaits()
  const waiting = ['a', 'b', 'b', 'c'].map((ref) => waits.next(ref, LONG_MS, never))
  waits.wakeAll()
  assert.deepEqual(await Promise.all(waiting), [true, true, true, true])
})
