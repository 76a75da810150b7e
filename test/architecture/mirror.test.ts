/**
 * Tests mirror the source: promises of a slice, an adapter or a part of the platform are tested in
 * the folder of its name.
 */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../support/sources.ts'

/** The folders, below `root`, of the files that match. */
const foldersOf = (root: string, pattern: string): Set<string> =>
  new Set(globSync(pattern, { cwd: `${ROOT}/${root}` }).map((file) => dirname(file)))

/** Slices, adapters and parts of the platform with all below them, and each broker adapter. */
const OWNERS = '{features/*/*,adapters/*,adapters/broker/*,platform/*}'
const owners = foldersOf('src', `${OWNERS}/*.ts`)

/** The owner of a folder of tests. */
const ownerOf = (folder: string): string =>
  folder
    .split('/')
    .slice(0, /^(?:features|adapters\/broker)\//.test(folder) ? 3 : 2)
    .join('/')

const tested = new Set([...foldersOf('test', `${OWNERS}/**/*.test.ts`)].map(ownerOf))

/** Owners whose promises are tested elsewhere. */
const TESTED_ELSEWHERE = new Set([
  // `test/commands` starts the service with right and wrong configurations.
  'platform/config',
  // A law provokes each failure of the catalogue.
  'platform/errors',
  // Each slice tests what it records, and a law compares that with its audit entries.
  'platform/record',
  // The helpers of the adapters with an admin interface, which are tested with them.
  'adapters/broker/admin',
  // Kinds that only have hooks: a contract each, which all tests of `adapters/broker/hooks` run.
  ...[...foldersOf('test', 'adapters/broker/*/contract.ts')].filter((it) => !tested.has(it)),
])

test('every slice, adapter and part of the platform has tests in its own folder', () => {
  assert.ok(owners.size > 70, `${owners.size} were found`)
  assert.deepEqual(
    [...owners].filter((folder) => !tested.has(folder) && !TESTED_ELSEWHERE.has(folder)),
    [],
  )
})

test('no tests stand outside of a slice, an adapter or a part of the platform', () => {
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
