/** The table of docs/mqtt-conformance.md names every statement of MQTT, and tests that exist. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../support/sources.ts'

const FOLDER = join(ROOT, 'test/adapters/broker/embedded/conformance')
const page = readFileSync(join(ROOT, 'docs/mqtt-conformance.md'), 'utf8')

/** How many statements each section of MQTT 3.1.1 has (its appendix B). */
const EARLIER = `
  1.5.3:3 2.2.2:2 2.3.1:7 3.1.0:2 3.1.2:24 3.1.3:11 3.1.4:5
  3.2.0:1 3.2.2:6 3.3.1:12 3.3.2:3 3.3.4:1 3.3.5:2 3.6.1:1
  3.8.1:1 3.8.3:4 3.8.4:6 3.9.3:2 3.10.1:1 3.10.3:2 3.10.4:6
  3.12.4:1 3.14.1:1 3.14.4:3 4.1.0:2 4.3.1:1 4.3.2:2 4.3.3:2
  4.4.0:1 4.5.0:2 4.6.0:6 4.7.1:3 4.7.2:1 4.7.3:4 4.8.0:2
  6.0.0:4 7.0.0:2 7.1.1:1 7.1.2:1
`

/** The same of MQTT 5.0, where 2.2.1 begins with 2. */
const FIVE = `
  1.5.4:3 1.5.5:1 1.5.7:1 2.1.3:1 2.2.1:6 2.2.2:1 3.1.0:2
  3.1.2:30 3.1.3:12 3.1.4:6 3.2.0:2 3.2.2:22 3.3.1:13 3.3.2:20
  3.3.4:10 3.4.2:3 3.5.2:3 3.6.1:1 3.6.2:3 3.7.2:3 3.8.1:1
  3.8.3:5 3.8.4:8 3.9.2:2 3.9.3:2 3.10.1:1 3.10.3:2 3.10.4:6
  3.11.2:2 3.11.3:2 3.12.4:1 3.14.0:1 3.14.1:1 3.14.2:4 3.14.4:3
  3.15.1:1 3.15.2:3 4.1.0:2 4.2:1 4.3.1:1 4.3.2:5 4.3.3:13
  4.4.0:2 4.5.0:2 4.6.0:6 4.7.0:1 4.7.1:2 4.7.2:1 4.7.3:4
  4.8.2:6 4.9.0:3 4.12.0:7 4.12.1:2 4.13.1:1 4.13.2:1 6.0.0:4
`

const allOf = (sections: string, without: string[] = []): string[] =>
  [...sections.matchAll(/(\S+):(\d+)/g)]
    .flatMap(([, section, count]) =>
      Array.from({ length: Number(count) }, (_, index) => `${section}-${index + 1}`),
    )
    .filter((id) => !without.includes(id))

/** `3.1.2-1, -2` are two. */
function idsIn(text: string): string[] {
  let section = ''
  return [...text.matchAll(/([\d.]*)-(\d+)/g)].map(([, named = '', number = '']) => {
    if (named !== '') section = named
    return `${section}-${number}`
  })
}

interface Row {
  earlier: string[]
  five: string[]
  /** As file and name. */
  tests: string[]
}

function testsIn(cell: string): string[] {
  return cell.split('; ').flatMap((part) => {
    const [, file = ''] = /^`([\w-]+)`: /.exec(part) ?? []
    return [...part.matchAll(/"([^"]+)"/g)].map(([, name = '']) => `${file}: ${name}`)
  })
}

const rows: Row[] = page
  .split('\n')
  .filter((line) => /^\| .* \|$/.test(line) && line.includes('`: "'))
  .map((line) => {
    const cells = line.slice(1, -1).split('|')
    // A refusal by policy has words in place of ids.
    const isPolicy = !/^[\d., -]*$/.test(`${cells[0]}${cells[1]}`)
    return {
      earlier: isPolicy ? [] : idsIn(cells[0] ?? ''),
      five: isPolicy ? [] : idsIn(cells[1] ?? ''),
      tests: testsIn(cells.at(-1)?.trim() ?? ''),
    }
  })

const [, otherSections = ''] = /^## What binds clients only\n([^]*)/m.exec(page) ?? []
/** The ids that concern only clients, or do not apply. */
const otherIds = (version: string): string[] =>
  [...otherSections.matchAll(new RegExp(`^- ${version}: ([^]*?)(?=^- |^$)`, 'gm'))].flatMap(
    ([, ids = '']) => idsIn(ids),
  )

const existing = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) => {
    const text = readFileSync(join(FOLDER, file), 'utf8')
    const names = [...text.matchAll(/\bconforms\(\s*'([^']+)'/g)]
    return names.map(([, name = '']) => `${file.replace('.test.ts', '')}: ${name}`)
  })

test('the table of conformance names tests that exist, and each of them', () => {
  const named = new Set(rows.flatMap(({ tests }) => tests))
  assert.deepEqual([...named].toSorted(), existing.toSorted())
  assert.deepEqual(
    rows.filter(({ tests }) => tests.length === 0),
    [],
  )
})

test('each statement of MQTT is in the table, binds clients only, or does not apply', () => {
  for (const [listed, all, version] of [
    [rows.flatMap(({ earlier }) => earlier), allOf(EARLIER), String.raw`3\.1\.1`],
    [rows.flatMap(({ five }) => five), allOf(FIVE, ['2.2.1-1']), String.raw`5\.0`],
  ] as const) {
    const others = otherIds(version)
    assert.ok(others.length > 0)
    assert.deepEqual([...new Set([...listed, ...others])].toSorted(), [...all].toSorted())
    assert.deepEqual(
      others.filter((id) => listed.includes(id)),
      [],
    )
  }
})
