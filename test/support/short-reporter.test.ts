/** A run of all tests says what failed and where, and the count, and no more. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const reporter = new URL('short-reporter.ts', import.meta.url).href

/** The output of a run of files with these sources: `some.test.mjs`, `some2.test.mjs`, … */
function outputOf(...sources: string[]): { text: string; status: number | null } {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-reporter-'))
  try {
    const files = sources.map((_, index) => `some${index === 0 ? '' : index + 1}.test.mjs`)
    for (const [index, file] of files.entries()) {
      const source = `import { suite, test } from 'node:test'\n${sources[index]}`
      writeFileSync(join(folder, file), source)
    }
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const args = ['--test', `--test-reporter=${reporter}`, ...files]
    const options = { cwd: folder, env, encoding: 'utf8' } as const
    const { stdout, status } = spawnSync(process.execPath, args, options)
    return { text: stdout, status }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('a failure has its name, its place and its error; a passed test has nothing', () => {
  const { text, status } = outputOf(`test('good', () => {})
suite('some', () => {
  test('bad', () => { throw new Error('the reason') })
  test.skip('later', () => {})
})`)
  assert.equal(status, 1)
  assert.match(text, /^✖ bad\ntest at some\.test\.mjs:4:3\n {2}Error: the reason$/m)
  assert.match(text, /^3 tests in \d+ s: 1 passed, 1 failed, 1 skipped$/m)
  assert.doesNotMatch(text, /good|later|some\n/)
})

test('a run without a failure is one line', () => {
  const { text, status } = outputOf(`test('good', () => {})`)
  assert.equal(status, 0)
  assert.match(text, /^\n1 tests in \d+ s: 1 passed, 0 failed\n$/)
})

test('a process that ends in the middle is a failure', () => {
  const { text, status } = outputOf(`test('good', () => process.exit(3))`)
  assert.equal(status, 1)
  assert.match(text, /^✖ .*some\.test\.mjs\ntest at some\.test\.mjs:1:1$/m)
})

test('the output of a file is printed only if it fails', () => {
  const { text } = outputOf(
    `console.log('of good'); test('good', () => {})`,
    `console.log('of bad'); console.error('error of bad'); test('bad', () => { throw new Error() })`,
  )
  assert.match(text, /^of bad$/m)
  assert.match(text, /^error of bad$/m)
  assert.doesNotMatch(text, /of good/)
})

test('the output of a file whose process ends in the middle is printed', () => {
  const { text } = outputOf(`test('good', () => {})`, `console.log('bye'); process.exit(3)`)
  assert.match(text, /^bye$/m)
})
