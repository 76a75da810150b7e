/**
 * Tests mirror the source: promises of a slice or an adapter are tested in the folder of its name.
 */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../support/sources.ts'

/** The folders, below `root`, of the files that match. */
const foldersOf = (root: string, pattern: string): Set<string> =>
  new Set(globSync(pattern, { cwd: `${ROOT}/${root}` }).map((file) => dirname(file)))

/** Slices, and adapters with all that is below them. */
const owners = foldersOf('src', '{features/*/*,adapters/*}/*.ts')
const tested = new Set(
  globSync('{features/*/*,adapters/*}/**/*.test.ts', { cwd: `${ROOT}/test` }).map((file) =>
    file
      .split('/')
      .slice(0, file.startsWith('features/') ? 3 : 2)
      .join('/'),
  ),
)

test('every slice and every adapter has tests in its own folder', () => {
  assert.ok(owners.size > 60, `${owners.size} were found`)
  assert.deepEqual(
    [...owners].filter((folder) => !tested.has(folder)),
    [],
  )
})

test('no tests stand outside of a slice or an adapter', () => {
  assert.deepEqual(
    [...tested].filter((folder) => !owners.has(folder)),
    [],
  )
  assert.deepEqual(
    [...foldersOf('test', '{features,features/*,adapters}/*.test.ts')],
    [],
    'files that belong into a folder',
  )
})
