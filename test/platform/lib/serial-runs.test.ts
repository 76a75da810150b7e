/** Work that runs once at a time: each caller gets a run that began after the call. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SerialRuns } from '../../../src/platform/lib/serial-runs.ts'
import { until } from '../../support/until.ts'

test('callers during a run share the next one, whatever becomes of the first', async () => {
  const begun: PromiseWithResolvers<void>[] = []
  const runs = new SerialRuns(() => {
    const next = Promise.withResolvers<void>()
    begun.push(next)
    return next.promise
  })
  const first = runs.run()
  await until('the first run', () => begun.length === 1)
  const [second, third] = [runs.run(), runs.run()]
  assert.equal(begun.length, 1)
  begun[0]?.reject(new Error('the first failed'))
  await assert.rejects(first, /the first failed/)
  await until('the second run', () => begun.length === 2)
  begun[1]?.resolve()
  await Promise.all([second, third])
  assert.equal(begun.length, 2)
})
