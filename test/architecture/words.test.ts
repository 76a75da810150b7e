/**
 * Prose uses the terms of the field: no banned word in the documents, the API reference, the error
 * texts, comments and names of tests.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { catalogue } from '../../src/platform/errors/errors.ts'
import { ROOT } from '../support/sources.ts'
import { bannedWords } from './banned-words.ts'

interface Finding {
  place: string
  text: string
}

const SKIPPED = new Set(['node_modules', 'dist', 'data'])
/** They hold the words themselves. */
const LISTS = new Set(['test/architecture/banned-words.ts', 'test/architecture/words.test.ts'])

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = relative(ROOT, join(ROOT, folder, entry.name))
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(path, ending)
    return path.endsWith(ending) ? [path] : []
  })
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

function findingsIn(place: string, text: string): Finding[] {
  return bannedWords.flatMap(({ pattern, use }) =>
    [...text.matchAll(pattern)].map(([word]) => ({ place, text: `"${word}": use ${use}` })),
  )
}

/** Without code, paths of documents, and quoted text such as the names of tests. */
const proseOf = (text: string): string =>
  text
    .replaceAll(/^```[^]*?^```/gm, '')
    .replaceAll(/`[^`]*`/g, '``')
    .replaceAll(/\]\([^)]*\)|\bdocs\/[\w./-]+/g, ']')
    .replaceAll(/"[^"\n]*"/g, '""')
    .replaceAll(/\s+/g, ' ')

/** The comments of a TypeScript file and the names of its tests. */
function proseOfSource(text: string): string[] {
  const comments = text.match(/\/\*[^]*?\*\/|(?<=^|\s)\/\/ .*$/gm) ?? []
  const names = [...text.matchAll(/\b(?:test|it|describe)\(\s*(['"`])(.*?)\1/gs)]
  return [
    ...comments.map((comment) => comment.replaceAll(/^ *(?:\/\*\*?|\*\/|\*|\/\/) ?/gm, '')),
    ...names.map(([, , name = '']) => name),
  ]
}

test('the documents and decision records use the terms of the field', () => {
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
  const documents = [...pages, 'migrations/README.md', ...filesBelow('docs', '.md')]
  const findings = documents.flatMap((path) => findingsIn(path, proseOf(read(path))))
  assert.deepEqual(findings, [])
})

test('the API reference and the error texts use the terms of the field', () => {
  const findings: Finding[] = []
  JSON.parse(read('openapi.json'), (key, value: unknown) => {
    if (['summary', 'description'].includes(key) && typeof value === 'string') {
      findings.push(...findingsIn(value.slice(0, 60), proseOf(value)))
    }
    return value
  })
  for (const [code, { title, sentence, remedy }] of Object.entries(catalogue)) {
    findings.push(...findingsIn(code, proseOf(`${title}. ${sentence} ${remedy}`)))
  }
  assert.deepEqual(findings, [])
})

test('comments and names of tests use the terms of the field', () => {
  const paths = ['src', 'test', 'bench', 'examples'].flatMap((folder) => filesBelow(folder, '.ts'))
  const findings = paths
    .filter((path) => !LISTS.has(path))
    .flatMap((path) =>
      proseOfSource(read(path)).flatMap((prose) => findingsIn(path, proseOf(prose))),
    )
  assert.deepEqual(findings, [])
})
