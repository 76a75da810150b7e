/** Work that many signals ask for runs once, and never concurrently with itself. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { Debounced } from '../../../src/platform/lib/debounced.ts'
import { until } from '../../support/until.ts'

test('calls during a run cause one more run after it; a failed run is repeated', async (t) => {
  const runs: PromiseWithResolvers<boolean>[] = []
  const work = new Debounced(
    () => {
      const run = Promise.withResolvers<boolean>()
      runs.push(run)
      return run.promise
    },
    { pauseMs: 1, againMs: 2 },
  )
  t.after(() => work.stop())
  for (let signals = 0; signals < 10; signals += 1) work.wake()
  await until('a first run', () => runs.length > 0)
  for (let signals = 0; signals < 10; signals += 1) {
    work.wake()
    await sleep(2)
  }
  assert.equal(runs.length, 1, 'nothing runs at the same time as the first')
  runs[0]?.resolve(true)
  await until('a second run', () => runs.length > 1)
  runs[1]?.resolve(false)
  await until('a run for what failed', () => runs.length > 2)
  runs[2]?.resolve(true)
  await sleep(10)
  assert.equal(runs.length, 3, 'nobody has asked for more')
})
