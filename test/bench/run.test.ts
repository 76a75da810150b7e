/** The bench ends quietly when it is interrupted, and finds the places of its tables. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { measurements } from '../../bench/measurements.ts'
import { descendantsOf, isRunning } from '../../bench/support/processes.ts'
import { ROOT } from '../support/sources.ts'
import { until } from '../support/until.ts'

test('Ctrl-C ends a bench with code 130 and no stack, and leaves no program and no file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-interrupted-'))
  const env = { ...process.env, TMPDIR: folder }
  const bench = spawn(process.execPath, ['bench/run.ts', 'read-device'], { cwd: ROOT, env })
  try {
    let said = ''
    bench.stdout.on('data', (text: Buffer) => (said += text.toString()))
    bench.stderr.on('data', (text: Buffer) => (said += text.toString()))
    const pid = bench.pid ?? 0
    // Its Postgres with a dozen processes, and the first of its programs.
    await until('the bench has started a program', () =>
      descendantsOf(pid).some((each) => commandOf(each).includes('bench/programs')),
    )
    const started = descendantsOf(pid)
    const ended = once(bench, 'close')
    bench.kill('SIGINT')
    assert.deepEqual(await ended, [130, null])
    assert.equal(said, '')
    assert.deepEqual(started.filter(isRunning), [])
    assert.deepEqual(readdirSync(folder), [])
  } finally {
    bench.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

test('each table has its place in a page', () => {
  const named = measurements.map(({ name, page }) => ({ page, command: `bench -- ${name}` }))
  const places = [
    ...named,
    { page: 'performance', command: 'bench --' },
    { page: 'performance', command: 'bench -- --commit REV' },
    { page: 'scale', command: 'scale --' },
  ]
  const missing = places.filter(({ page, command }) => {
    const text = readFileSync(join(ROOT, 'docs', `${page}.md`), 'utf8')
    const [, after] = text.split(`<!-- npm run ${command} --write puts the table here -->\n`)
    // The end is there before the next place begins.
    return (
      after === undefined ||
      !/^[^]*?<!-- end of the table -->/.test(after.split('<!-- npm')[0] ?? '')
    )
  })
  assert.deepEqual(missing, [])
})
