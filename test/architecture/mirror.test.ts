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

/** Slices, adapters with all that is below them, and each adapter to a kind of broker. */
const OWNERS = '{features/*/*,adapters/*,adapters/broker/*}'
const owners = foldersOf('src', `${OWNERS}/*.ts`)

/** The owner of a folder of tests. */
const ownerOf = (folder: string): string =>
  folder
    .split('/')
    .slice(0, /^(?:features|adapters\/broker)\//.test(folder) ? 3 : 2)
    .join('/')

const tested = new Set([...foldersOf('test', `${OWNERS}/**/*.test.ts`)].map(ownerOf))

/** Adapters whose own promises are tested elsewhere. */
const TESTED_ELSEWHERE = new Set([
  // The helpers of the adapters with an admin interface, which are tested with them.
  'adapters/broker/admin',
  // Kinds that only have hooks: a contract each, which all tests of `adapters/broker/hooks` run.
  ...[...foldersOf('test', 'adapters/broker/*/contract.ts')].filter((it) => !tested.has(it)),
])

test('every slice and every adapter has tests in its own folder', () => {
  assert.ok(owners.size > 70, `${owners.size} were found`)
  assert.deepEqual(
    [...owners].filter((folder) => !tested.has(folder) && !TESTED_ELSEWHERE.has(folder)),
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
