/**
 * The statements of migrations that were released are never changed: databases know them by their
 * checksums.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
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

/** Databases have the checksums that it lists, so it never changes. */
const RECORDED_SHA256 = 'f58385c5edc8fdfce2f000bacc85504010d6b1b64a4370ca487fde7f3b9f04d6'

test('migrations from before checksums of statements keep the checksums that databases have', async () => {
  const text = readFileSync(join(ROOT, 'migrations/recorded.json'))
  assert.equal(createHash('sha256').update(text).digest('hex'), RECORDED_SHA256)
  const recorded: Record<string, { recorded: string }> = read('migrations/recorded.json')
  const checksums = new Map(
    (await readMigrations(join(ROOT, 'migrations'))).map(({ file, checksum }) => [file, checksum]),
  )
  for (const [file, first] of Object.entries(recorded))
    assert.equal(checksums.get(file), first.recorded, `the statements of ${file} were changed`)
})

test('no line of a string or of the body of a function counts as a comment', () => {
  const folder = join(ROOT, 'migrations')
  const found: string[] = []
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.sql'))) {
    let quotes = 0
    let dollars = 0
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (!line.trimStart().startsWith('--')) {
        quotes += line.match(/'/g)?.length ?? 0
        dollars += line.match(/\$\w*\$/g)?.length ?? 0
      } else if (quotes % 2 === 1 || dollars % 2 === 1) found.push(`${file}: ${line}`)
    }
  }
  assert.deepEqual(found, [])
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
