/** Work is repeated until it succeeds, or until nobody wants it any more. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { retryUntilDone } from '../../../src/platform/lib/retry-until-done.ts'

/** Fails so many times, and then succeeds with the number of the attempt. */
function failing(times: number): () => Promise<number> {
  let attempts = 0
  return () => {
    attempts += 1
    return attempts > times
      ? Promise.resolve(attempts)
      : Promise.reject(new Error(`attempt ${attempts} failed`))
  }
}

test('the work is repeated until it succeeds, and each failure is reported', async () => {
  const errors: string[] = []
  const failed = (error: unknown) => errors.push((error as Error).message)
  const result = await retryUntilDone(failing(2), { pauseMs: 1, failed, ref: true })
  assert.equal(result, 3)
  assert.deepEqual(errors, ['attempt 1 failed', 'attempt 2 failed'])
})

test('the first attempt begins during the call', () => {
  let isBegun = false
  const attempt = async () => {
    isBegun = true
  }
  void retryUntilDone(attempt, { pauseMs: 1, failed: () => {} })
  assert.ok(isBegun)
})

test('work that nobody wants any more is not attempted', async () => {
  let isWanted = true
  let failures = 0
  const failed = () => {
    failures += 1
    isWanted = false
  }
  const retries = { pauseMs: 1, failed, isWanted: () => isWanted, ref: true }
  assert.equal(await retryUntilDone(failing(10), retries), undefined)
  assert.equal(failures, 1)
  assert.equal(await retryUntilDone(failing(0), retries), undefined)
})

test('a process without other work ends during a pause', () => {
  const module = new URL('../../../src/platform/lib/retry-until-done.ts', import.meta.url)
  const script = `
    import { retryUntilDone } from '${module.href}'
    const fail = () => Promise.reject(new Error('it failed'))
    void retryUntilDone(fail, { pauseMs: 600_000, failed: ({ message }) => console.log(message) })`
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { encoding: 'utf8', timeout: 60_000 },
  )
  assert.equal(stdout, 'it failed\n')
  assert.equal(status, 0)
})
