/** The promise of a run about its files: each is run once, and unfinished ones are named. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { announceFiles, takeFiles, unfinished } from './test-queue.ts'

function announced(t: TestContext, files: readonly string[]): string {
  const parent = mkdtempSync(join(tmpdir(), 'mooring-turns-'))
  t.after(() => rmSync(parent, { recursive: true }))
  const folder = join(parent, 'turns')
  announceFiles(folder, files)
  return folder
}

test('processes that take files in turn get each file once, in the order of the list', (t) => {
  const files = ['a', 'b', 'c', 'd', 'e']
  const folder = announced(t, files)
  const [one, two] = [takeFiles(folder), takeFiles(folder)]
  const got = [one.next(), two.next(), two.next(), one.next(), two.next()]
  assert.deepEqual(
    got.map(({ value }) => value),
    files,
  )
  assert.deepEqual([one.next().done, two.next().done], [true, true])
  assert.deepEqual(unfinished(folder), [])
})

test('a file that was begun by a process that went away is named, and so is one not begun', (t) => {
  const folder = announced(t, ['a', 'b', 'c'])
  const gone = takeFiles(folder)
  gone.next()
  gone.next()
  const left = unfinished(folder)
  assert.deepEqual(
    left.map(({ file, taken }) => [file, taken?.pid]),
    [
      ['b', process.pid],
      ['c', undefined],
    ],
  )
})
