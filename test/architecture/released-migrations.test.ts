/**
 * The statements of migrations that were released are never changed: databases know them by their
 * checksums.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readMigrations } from '../../src/platform/database/migration-files.ts'
import {
  breaches,
  type ReleasedMigrations,
  withRelease,
} from '../../generate/released-migrations.ts'
import { ROOT } from '../support/sources.ts'

const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
const released: ReleasedMigrations = read('migrations/released.json')

test('every migration of a release is as it was released', async () => {
  assert.deepEqual(breaches(released, await readMigrations(join(ROOT, 'migrations'))), [])
})

test('migrations from before checksums of statements keep the checksums that databases have', async () => {
  const recorded: Record<string, { recorded: string }> = read('migrations/recorded.json')
  const checksums = new Map(
    (await readMigrations(join(ROOT, 'migrations'))).map(({ file, checksum }) => [file, checksum]),
  )
  for (const [file, first] of Object.entries(recorded))
    assert.equal(checksums.get(file), first.recorded, `the statements of ${file} were changed`)
})

test('the version of package.json has its migrations frozen', () => {
  const { version } = read('package.json') as { version: string }
  assert.ok(
    released[version],
    `${version} is named and its migrations are not frozen: run \`npm run generate\``,
  )
})

const files = [
  { file: '0001-a.sql', checksum: 'a' },
  { file: '0002-b.sql', checksum: 'b' },
  { file: '0003-c.sql', checksum: 'c' },
]

test('a new version gets what no earlier one has, and a named one stays as it is', () => {
  const first = withRelease({}, '0.1.0', files.slice(0, 1))
  assert.deepEqual(first, { '0.1.0': { '0001-a.sql': 'a' } })
  assert.equal(withRelease(first, '0.1.0', files), first)
  assert.deepEqual(withRelease(first, '0.2.0', files), {
    '0.1.0': { '0001-a.sql': 'a' },
    '0.2.0': { '0002-b.sql': 'b', '0003-c.sql': 'c' },
  })
})

test('a released file that is edited, renamed or deleted is found', () => {
  const both = withRelease({}, '0.1.0', files.slice(0, 2))
  assert.deepEqual(breaches(both, files), [])
  assert.deepEqual(breaches(both, [{ file: '0001-a.sql', checksum: 'x' }, ...files.slice(1)]), [
    '0001-a.sql was changed after 0.1.0',
  ])
  assert.deepEqual(breaches(both, files.slice(0, 1)), ['0002-b.sql of 0.1.0 is missing'])
})
