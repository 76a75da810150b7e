/** Work that runs once at a time, whose runs concurrent callers share. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SingleFlight } from '../../../src/platform/lib/single-flight.ts'
import { until } from '../../support/until.ts'

function recorded() {
  const runs: PromiseWithResolvers<string>[] = []
  const flight = new SingleFlight(() => {
    const run = Promise.withResolvers<string>()
    runs.push(run)
    return run.promise
  })
  return { runs, flight }
}

test('callers during a run share it, with its result or its failure', async () => {
  const { runs, flight } = recorded()
  const first = [flight.join(), flight.join()]
  assert.equal(runs.length, 1, 'it begins with the first call')
  assert.ok(flight.isRunning)
  runs[0]?.resolve('done')
  assert.deepEqual(await Promise.all(first), ['done', 'done'])
  assert.ok(!flight.isRunning)
  const failing = [flight.join(), flight.join()]
  runs[1]?.reject(new Error('the second failed'))
  for (const each of failing) await assert.rejects(each, /the second failed/)
  assert.equal(runs.length, 2)
})

test('a caller that continues after a run begins another one', async () => {
  const { runs, flight } = recorded()
  const twice = flight.join().then(() => flight.join())
  runs[0]?.resolve('first')
  await until('another run', () => runs.length === 2)
  runs[1]?.resolve('second')
  assert.equal(await twice, 'second')
})

test('the next run begins after the current one, whatever becomes of that', async () => {
  const { runs, flight } = recorded()
  const first = flight.joinNext()
  await until('the first run', () => runs.length === 1)
  const later = [flight.joinNext(), flight.joinNext()]
  assert.equal(runs.length, 1)
  runs[0]?.reject(new Error('the first failed'))
  await assert.rejects(first, /the first failed/)
  await until('the second run', () => runs.length === 2)
  runs[1]?.resolve('second')
  assert.deepEqual(await Promise.all(later), ['second', 'second'])
  assert.equal(runs.length, 2)
})

test('calls in one turn share the next run, and none shares one that began before it', async () => {
  const { runs, flight } = recorded()
  const waiting = [flight.joinNext(), flight.joinNext()]
  const joined = flight.join()
  const afterwards = flight.joinNext()
  assert.equal(runs.length, 1)
  runs[0]?.resolve('first')
  assert.deepEqual(await Promise.all([...waiting, joined]), ['first', 'first', 'first'])
  await until('the second run', () => runs.length === 2)
  runs[1]?.resolve('second')
  assert.equal(await afterwards, 'second')
})
