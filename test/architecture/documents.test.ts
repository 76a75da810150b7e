/**
 * Documents and the files alongside the source: links that lead somewhere, words that may be said.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { eventTypes } from '../../src/platform/record/event.ts'
import { ROOT } from '../support/sources.ts'
import {
  brokenPromises,
  hasOnce,
  rowsOfDelays,
  shortRows,
  unlistedEffects,
  unlistedFigures,
  wrongDefaults,
} from './promises.ts'

/** Files that git does not have: a build that was ended leaves a folder of its own. */
const SKIPPED = /^(\.git|node_modules|data|dist(-\d+)?)$/

/** Every file of the project, from its root. */
function listFiles(folder = ROOT): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.test(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? listFiles(path) : [relative(ROOT, path)]
  })
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const files = listFiles()
const documents = files.filter((path) => path.endsWith('.md'))

/** The text without its code, in which brackets and hashes mean something else. */
const prose = (text: string): string =>
  text.replaceAll(/^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1[^\n]*$/gm, '').replaceAll(/`[^`\n]*`/g, 'code')

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>()
  const text = read(path).replaceAll(/^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1[^\n]*$/gm, '')
  for (const [, heading = ''] of text.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const slug = words.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  for (const [, name = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(name)
  return anchors
}

/** The fault of a link, or undefined. */
function brokenLink(path: string, link: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return undefined
  const [target = '', anchor] = link.split('#')
  const file = target === '' ? path : join(dirname(path), decodeURIComponent(target))
  if (target.startsWith('/') || file.startsWith('..') || !existsSync(join(ROOT, file))) {
    return `${path}: ${link} leads nowhere`
  }
  if (anchor === undefined || anchor === '') return undefined
  if (statSync(join(ROOT, file)).isDirectory() || !anchorsOf(file).has(anchor)) {
    return `${path}: ${link} names no heading`
  }
  return undefined
}

test('the page about events names every type there is, and no other', () => {
  const [, section = ''] = /^## What there is\n([\s\S]*?)^## /m.exec(read('docs/events.md')) ?? []
  const named = [...section.matchAll(/`([^`]+)`/g)].map(([, type = '']) => type)
  assert.deepEqual(named.toSorted(), eventTypes.toSorted())
})

test('the index of documents links to every page, and the architecture lists every slice once', () => {
  const index = read('docs/README.md')
  const pages = documents.filter((path) => path.startsWith('docs/') && path !== 'docs/README.md')
  assert.deepEqual(
    pages.filter((path) => !index.includes(`(${path.slice('docs/'.length)})`)),
    [],
  )
  const [, areas = ''] = /^## Areas\n([\s\S]*?)^## /m.exec(read('ARCHITECTURE.md')) ?? []
  const listed = [...areas.matchAll(/^\| `([a-z]+)` \|([^|]*)\|/gm)].flatMap(
    ([, area = '', slices = '']) =>
      [...slices.matchAll(/`([a-z-]+)`/g)].map(([, slice = '']) => `${area}/${slice}`),
  )
  const features = join(ROOT, 'src/features')
  const folders = (path: string): string[] =>
    readdirSync(join(features, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  const slices = folders('')
    .filter((area) => area !== 'common')
    .flatMap((area) => folders(area).map((slice) => `${area}/${slice}`))
  assert.deepEqual(listed.toSorted(), slices.toSorted())
})

test('a path of the source that a page names is there', () => {
  const places = ['', 'src/', 'src/features/', 'console/', 'console/src/']
  const isThere = (path: string): boolean =>
    places.some((place) => ['', '.ts'].some((end) => existsSync(join(ROOT, place + path + end))))
  const missing = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].flatMap((page) =>
    [...read(page).matchAll(/`([a-z][\w.-]*(?:\/[\w.-]+)+)\/?`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !isThere(path))
      .map((path) => `${page}: ${path}`),
  )
  assert.deepEqual(missing, [])
})

test('a CONNECT is followed through at most ten files, each of which is there', () => {
  const [, story = ''] =
    /^\*\*A client connects over MQTT\*\*([\s\S]*?)\n\n\*\*/m.exec(read('ARCHITECTURE.md')) ?? []
  const rows = story.split('\n').filter((line) => line.startsWith('|'))
  const named = new Set(rows.flatMap((row) => row.match(/(?<=`)[a-z-]+(?:\/[a-z-]+)+(?=`)/g) ?? []))
  const places = ['src', 'src/features']
  assert.deepEqual(
    [...named].filter((path) => !places.some((at) => existsSync(join(ROOT, at, `${path}.ts`)))),
    [],
  )
  assert.ok(named.size > 0 && named.size <= 10, [...named].join(', '))
})

test('each decision record has a status, and the index has its title', () => {
  const index = read('docs/README.md')
  const wrong = documents
    .filter((path) => path.startsWith('docs/decisions/'))
    .filter((path) => {
      const [, number = '', title = '', status = ''] =
        /^# (\d{4}) (.+)\n\nStatus: (.+)/.exec(read(path)) ?? []
      const link = `| [${number}](${path.slice('docs/'.length)}) | ${title} |`
      return !(
        index.includes(link) &&
        /^(?:accepted, \d{4}-\d\d-\d\d|superseded by \[\d{4}\])/.test(status)
      )
    })
  assert.deepEqual(wrong, [])
})

test('every link of a document leads somewhere', () => {
  const broken = documents.flatMap((path) => {
    const text = prose(read(path))
    const links = [
      ...text.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g),
      ...text.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm),
      ...text.matchAll(/\b(?:href|src)="([^"]+)"/g),
    ]
    return links.map(([, link = '']) => brokenLink(path, link)).filter((item) => item !== undefined)
  })
  assert.deepEqual(broken, [])
})

test('CONTRIBUTING.md names every law, and no other', () => {
  const [, laws = ''] = /^## The laws\n([\s\S]*?)^## /m.exec(read('CONTRIBUTING.md')) ?? []
  const named = laws.split('\n').flatMap((line) => {
    const [, first = ''] = /^\| (`.+?) \|/.exec(line) ?? []
    const [, folder = 'test/architecture/'] = /\(in `(.+?)`\)/.exec(first) ?? []
    return [...first.matchAll(/`([\w-]+)`/g)].map(([, name]) => `${folder}${name}.test.ts`)
  })
  const isLaw = (path: string): boolean => /^test\/architecture\/.+\.test\.ts$/.test(path)
  assert.deepEqual(named.filter(isLaw).toSorted(), files.filter(isLaw).toSorted())
  assert.deepEqual(
    named.filter((path) => !files.includes(path)),
    [],
  )
})

test('every file that a comment or a document names is there', () => {
  const named = /(?<![\w/.{}$*-])((?:src|test|docs|migrations|bench|examples)\/[\w/.-]*\.\w+)/g
  const missing = files
    .filter((path) => /\.(?:ts|md)$/.test(path))
    .flatMap((path) =>
      [...read(path).matchAll(named)]
        .map(([, name = '']) => name.replace(/\.$/, ''))
        .filter((name) => !existsSync(join(ROOT, name)))
        .map((name) => `${path}: ${name}`),
    )
  assert.deepEqual(missing, [])
})

test('tests and constants of each promised figure exist, and constants match the pages', () => {
  assert.deepEqual(brokenPromises(), [])
})

test('a constant of the table is not found once its figure is another one, nor in two places', () => {
  const changed = ['50', '5_000', '5.5', '5 * 60', '15'].map((figure) => `const MAX = ${figure}`)
  const found = ['const MAX = 5', ...changed].filter((text) => hasOnce('const MAX = 5', text))
  assert.deepEqual(found, ['const MAX = 5'])
  assert.ok(hasOnce('maximum: 30', '{ minimum: 1, maximum: 30 }'))
  assert.ok(!hasOnce('maximum: 30', '{ minimum: 1, maximum: 300 }'))
  assert.ok(!hasOnce('maximum: 30', '{ maximum: 30 }, { maximum: 30 }'))
})

test('every figure of a page is in the table of promises', () => {
  assert.deepEqual(unlistedFigures(documents), [])
})

test('each time of an effect that the API describes is in the table of promises', () => {
  assert.deepEqual(unlistedEffects(), [])
})

test('each row of the table of promises quotes more than its figure', () => {
  assert.deepEqual(shortRows(), [])
})

test('each row of how soon something happens names a bench, or of a longer time a test', () => {
  const { count, unmeasured } = rowsOfDelays()
  assert.ok(count >= 40, `only ${count} rows are seen`)
  assert.deepEqual(unmeasured, [])
})

test('the default that a page gives for a variable is its default', () => {
  assert.deepEqual(wrongDefaults(documents), [])
})

/** Written so that this page does not hold them. */
const FORBIDDEN = [
  /\/(?:work|root)\//,
  /\/home\/\w/,
  /registry\.npm[j]s/,
  /\.\.\/shared\b/,
  /BEGIN (?:RSA |EC )?PRIVATE [K]EY/,
]

test('no file names a machine, a registry, or holds a private key', () => {
  const found = files.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, index) =>
        FORBIDDEN.some((word) => word.test(line))
          ? [`${path}:${index + 1}: ${line.trim().slice(0, 100)}`]
          : [],
      ),
  )
  assert.deepEqual(found, [])
})

interface Manifest {
  scripts: Record<string, string>
  bin?: Record<string, string>
  [name: string]: unknown
}
const manifest = JSON.parse(read('package.json')) as Manifest

test('the version of every package is exact', () => {
  const loose = Object.entries(manifest)
    .filter(([name]) => /dependencies$/i.test(name))
    .flatMap(([, list]) => Object.entries(list as Record<string, string>))
    .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
  assert.deepEqual(loose, [])
})

test('a page that installs a package names its present version', () => {
  const named = documents.flatMap((path) =>
    [...read(path).matchAll(/\bmooring-(?:sdk-|cli-)?(\d[\w.-]*)\.tgz\b/g)].map(
      ([file, version]) => ({ path, file, version }),
    ),
  )
  assert.ok(named.length > 3)
  assert.deepEqual(
    named.filter(({ version }) => version !== manifest.version),
    [],
  )
})

test('there are few scripts, and the files that they start exist', () => {
  const { scripts, bin = {} } = manifest
  assert.ok(Object.keys(scripts).length <= 15, Object.keys(scripts).join(' '))
  const started = [...Object.values(scripts), ...Object.values(bin)].flatMap(
    (command) => command.match(/[\w/.-]+\.ts\b/g) ?? [],
  )
  assert.deepEqual(
    started.filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
})

test('no line ends with a space or a carriage return, and every file ends with a newline', () => {
  const texts = files.filter((path) => /\.(?:ts|md|sql|json|ya?ml)$/.test(path))
  const odd = texts.filter((path) => {
    const text = read(path)
    return text !== '' && (text.includes('\r') || !text.endsWith('\n') || / +$/m.test(text))
  })
  assert.deepEqual(odd, [])
})
