/** The programs for developers say what they take. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { ROOT } from './sources.ts'

const run = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })

for (const [program, usage] of [
  ['bench/run.ts', 'Usage: npm run bench -- '],
  ['test/faults/harness/run.ts', 'Usage: npm run faults -- '],
] as const) {
  test(`${program} answers wrong options with a line and its usage`, () => {
    for (const wrong of [['--nope'], ['--rounds', 'x']]) {
      const { status, stdout, stderr } = run(program, ...wrong)
      assert.deepEqual([status, stdout], [2, ''])
      assert.match(stderr, /^[^\n]*--(?:nope|rounds)[^\n]*\n\n/)
      assert.ok(stderr.includes(`\n\n${usage}`), stderr)
    }
    const help = run(program, '--help')
    assert.deepEqual([help.status, help.stderr], [0, ''])
    assert.ok(help.stdout.startsWith(usage), help.stdout)
  })
}
