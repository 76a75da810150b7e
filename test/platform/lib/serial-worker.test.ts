/** Batch work: one batch at a time, woken at once or after a pause. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SerialWorker } from '../../../src/platform/lib/serial-worker.ts'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

function counted(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const done = { batches: 0, failures: 0 }
  const work = t.mock.fn(async (): Promise<boolean> => {
    done.batches += 1
    return false
  })
  const worker = new SerialWorker(work, () => {
    done.failures += 1
  })
  return { done, work, worker, pass: (ms: number) => t.mock.timers.tick(ms) }
}

test('a worker wakes after the latest pause', async (t) => {
  const { done, worker, pass } = counted(t)
  worker.wakeAfter(100)
  worker.wakeAfter(200)
  pass(199)
  await settled()
  assert.equal(done.batches, 0)
  pass(1)
  await settled()
  assert.equal(done.batches, 1)
})

test('a batch that begins earlier ends the pause, and may ask for another', async (t) => {
  const { done, work, worker, pass } = counted(t)
  worker.wakeAfter(100)
  worker.wake()
  await settled()
  pass(100)
  await settled()
  assert.equal(done.batches, 1)
  work.mock.mockImplementationOnce(async () => {
    worker.wakeAfter(100)
    return false
  })
  worker.wake()
  await settled()
  pass(100)
  await settled()
  assert.equal(done.batches, 2)
})

test('a failed batch is repeated after a pause', async (t) => {
  const { done, work, worker, pass } = counted(t)
  work.mock.mockImplementationOnce(() => Promise.reject(new Error('it failed')))
  worker.wake()
  await settled()
  assert.deepEqual(done, { batches: 0, failures: 1 })
  pass(250)
  await settled()
  assert.deepEqual(done, { batches: 1, failures: 1 })
})

test('a worker that was stopped does not wake', async (t) => {
  const { done, worker, pass } = counted(t)
  worker.wakeAfter(100)
  worker.stop()
  pass(100)
  await settled()
  assert.equal(done.batches, 0)
})
