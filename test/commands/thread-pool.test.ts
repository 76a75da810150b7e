/** The thread pool of the program has a thread for each core, and more. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { main, start } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'

/** Pretends to have nine cores; at the end it uses the pool, and prints the number of threads. */
const NINE_CORES = `
  import { readdirSync, readFile, readFileSync } from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  import os from 'node:os'

  os.availableParallelism = () => 9
  syncBuiltinESMExports()
  const nameOf = (thread) => readFileSync('/proc/self/task/' + thread + '/comm', 'utf8').trim()
  process.once('beforeExit', () => {
    readFile('/proc/self/stat', () => {
      const names = readdirSync('/proc/self/task').map(nameOf)
      console.log('threads: ' + names.filter((name) => name === 'libuv-worker').length)
    })
  })
`

const skip = process.platform !== 'linux' && 'threads are found by /proc'

for (const program of [main, join(ROOT, 'src/main.ts')]) {
  for (const [given, threads] of [
    [undefined, 11],
    ['', 11],
    ['6', 6],
  ] as const) {
    const name = program.slice(ROOT.length + 1)
    test(`${name} with UV_THREADPOOL_SIZE=${given} has ${threads} threads`, { skip }, async (t) => {
      const preload = `data:text/javascript,${encodeURIComponent(NINE_CORES)}`
      const environment = { UV_THREADPOOL_SIZE: given }
      const { ended } = start(t, ['--import', preload, program, 'config'], { environment })
      const { stdout, stderr } = await ended
      assert.equal(/^threads: (\d+)$/m.exec(stdout)?.[1], String(threads), stderr)
    })
  }
}
