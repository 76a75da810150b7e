/** Memory of a burst of work is released once the process idles. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createIdleGc } from '../../src/app/idle-gc.ts'
import { until } from '../support/until.ts'

const MEBIBYTE = 2 ** 20

test('garbage is collected once the process is idle, and not again without a reason', async () => {
  const check = createIdleGc()
  await sleep(300)
  await check()
  // Garbage of earlier tests in this process would be collected at any moment.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const before = process.memoryUsage().heapUsed
  let left: string[] | undefined = Array.from({ length: 2_000_000 }, (_, at) => `left ${at}`)
  const grown = process.memoryUsage().heapUsed
  assert.ok(grown > before + 40 * MEBIBYTE, `${before} before, ${grown} with them`)
  assert.equal(left.at(-1), 'left 1999999')
  left = undefined
  await until('it is given back', async () => {
    await sleep(500)
    await check()
    return process.memoryUsage().heapUsed < grown - 32 * MEBIBYTE
  })
})
