/** A wait ends with the work, or with what is said when the time is up. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { withDeadline } from '../../../src/platform/lib/deadline.ts'
import { HOUR_MS } from '../../../src/platform/lib/time.ts'

const late = (): never => assert.fail('the time is not up')

test('the wait ends as the work does', async () => {
  assert.equal(await withDeadline(HOUR_MS, Promise.resolve('done'), late), 'done')
  const failing = Promise.reject(new Error('it failed'))
  await assert.rejects(withDeadline(HOUR_MS, failing, late), /it failed/)
})

test('work that takes too long is left, also if it fails later', async () => {
  const { promise, reject } = Promise.withResolvers<string>()
  const waiting = withDeadline(1, promise, () => 'late')
  await sleep(20)
  assert.equal(await waiting, 'late')
  reject(new Error('too late to matter'))
  await sleep(1)
})

test('a late result may be an error', async () => {
  const forever = new Promise<never>(() => {})
  const waiting = withDeadline(1, forever, () => {
    throw new Error('no response')
  })
  await Promise.all([sleep(20), assert.rejects(waiting, /no response/)])
})
