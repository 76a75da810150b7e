/**
 * Prose and names use the terms of the field: no banned word in the documents, the API reference,
 * the error texts, comments in every language, names of tests, texts of the console, of the
 * dashboard, of the service and of its commands, the reasons that the laws give, identifiers, names
 * of files and of folders.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { after, test } from 'node:test'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import {
  isBinaryExpression,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
  isTemplateExpression,
} from 'typescript/unstable/ast/is'
import { catalogue } from '../../src/platform/errors/errors.ts'
import { readAllSources, ROOT, walk } from '../support/sources.ts'
import { bannedInComments, bannedNames, bannedWords } from './banned-words.ts'

interface Finding {
  place: string
  text: string
}

const SKIPPED = /^(?:\.git|node_modules|data|dist(?:-\d+)?)$/
/** They hold the words themselves. */
const LISTS = new Set(['test/architecture/banned-words.ts', 'test/architecture/words.test.ts'])

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = relative(ROOT, join(ROOT, folder, entry.name))
    if (entry.isDirectory()) return SKIPPED.test(entry.name) ? [] : filesBelow(path, ending)
    return ending.test(path) ? [path] : []
  })
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

function findingsIn(place: string, text: string, words = bannedWords): Finding[] {
  return words.flatMap(({ pattern, use }) =>
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

/** Folders with TypeScript whose comments are read. */
const FOLDERS = 'src test bench examples console cli sdk generate packaging'.split(' ')
const TEXT = String.raw`(['"\`])((?:(?!\1)[^\\\n]|\\.)*)\1`
const TEST_NAME = new RegExp(String.raw`\b(?:test|it|describe)\(\s*${TEXT}`, 'g')
/** A member that is named by words: a test of a table, or an English text of the console. */
const WORDED_KEY = new RegExp(String.raw`^\s+(?:async )?${TEXT}(?::|\()`, 'gm')
/** Reasons in the tables of these tests. */
const ANY_TEXT = new RegExp(String.raw`(?<=[\s([{])${TEXT}`, 'g')

/** Files in other languages. */
const OTHER_FILE = new RegExp(
  [
    String.raw`\.(?:c|cfg|conf|css|dart|h|html|ino|kt|py|service|sh|sql|swift|timer|tpl|ya?ml)$`,
    String.raw`Dockerfile$|\.(?:docker|git)ignore$|\.npmrc$|^packaging/mooring$|^\.ci/`,
  ].join('|'),
)
const OTHER_COMMENT = /\/\*[^]*?\*\/|<!--[^]*?-->|"""[^]*?"""|(?<=^|\s)(?:\/\/+|#|--) .*$/gm
const OTHER_MARK = /^\s*(?:\/\*+|\*\/|\*|\/\/+|#|--|<!--|""") ?/gm

const textsOf = (source: string, pattern: RegExp): string[] =>
  [...source.matchAll(pattern)].map(([, , text = '']) => text).filter((text) => text.includes(' '))

/** The comments of a TypeScript file, without the marks of their lines. */
const commentsOf = (source: string): string[] =>
  (source.match(/\/\*[^]*?\*\/|(?<=^|\s)\/\/ .*$/gm) ?? []).map((comment) =>
    comment.replaceAll(/^ *(?:\/\*\*?|\*\/|\*|\/\/) ?/gm, ''),
  )

/** The comments of a TypeScript file, the names of its tests, and the keys of its tables. */
function proseOfSource(path: string, source: string): string[] {
  return [
    ...commentsOf(source),
    ...textsOf(source, TEST_NAME),
    ...textsOf(source, WORDED_KEY),
    ...(path.startsWith('test/architecture/') ? textsOf(source, ANY_TEXT) : []),
  ]
}

test('the documents and decision records use the terms of the field', () => {
  const documents = filesBelow('.', /\.md$/)
  assert.ok(['README.md', 'console/src/i18n/README.md'].every((path) => documents.includes(path)))
  const findings = documents.flatMap((path) => findingsIn(path, proseOf(read(path))))
  assert.deepEqual(findings, [])
})

/** The paragraphs and the items of lists, without headings and bold type. */
const paragraphsOf = (markdown: string): string[] =>
  markdown
    .replaceAll('**', '')
    .replaceAll(/^#.*$/gm, '')
    .split(/\n{2,}|^ *(?:-|\d+\.) /m)

test('sentences of decision records begin with a noun, and not with What, Those or Whoever', () => {
  const findings = filesBelow('docs/decisions', /\.md$/).flatMap((path) =>
    paragraphsOf(read(path)).flatMap((text) => findingsIn(path, proseOf(text), bannedInComments)),
  )
  assert.deepEqual(findings, [])
})

test('the API reference, the dashboard and the error texts use the terms of the field', () => {
  const findings: Finding[] = []
  for (const file of ['openapi.json', 'deploy/monitoring/dashboard.json']) {
    JSON.parse(read(file), (key, value: unknown) => {
      if (['title', 'summary', 'description'].includes(key) && typeof value === 'string') {
        findings.push(...findingsIn(value.slice(0, 60), proseOf(value)))
      }
      return value
    })
  }
  for (const [code, { title, sentence, remedy }] of Object.entries(catalogue)) {
    findings.push(...findingsIn(code, proseOf(`${title}. ${sentence} ${remedy}`)))
  }
  assert.deepEqual(findings, [])
})

test('comments, names of tests and texts of the console use the terms of the field', () => {
  const findings = FOLDERS.flatMap((folder) => filesBelow(folder, /\.tsx?$/))
    .filter((path) => !LISTS.has(path))
    .flatMap((path) =>
      proseOfSource(path, read(path)).flatMap((prose) => findingsIn(path, proseOf(prose))),
    )
  assert.deepEqual(findings, [])
})

/** Its comments are descriptions of the API reference. */
const DESCRIBED = new Set([...LISTS, 'sdk/schema.ts'])

test('sentences of comments begin with a noun, and not with What, Those or Whoever', () => {
  const paths = FOLDERS.flatMap((folder) => filesBelow(folder, /\.tsx?$/))
  const findings = paths
    .filter((path) => !DESCRIBED.has(path))
    .flatMap((path) =>
      commentsOf(read(path)).flatMap((comment) =>
        findingsIn(path, proseOf(comment), bannedInComments),
      ),
    )
  assert.deepEqual(findings, [])
})

test('comments in other languages use the terms of the field', () => {
  const files = filesBelow('.', OTHER_FILE)
  assert.ok(
    files.includes('.ci/run') &&
      files.includes('migrations/0001-accounts.sql') &&
      files.includes('examples/brokers/emqx.conf'),
  )
  const findings = files.flatMap((path) => {
    const comments = read(path).match(OTHER_COMMENT) ?? []
    const prose = proseOf(comments.join('\n').replaceAll(OTHER_MARK, ''))
    return findingsIn(path, prose, [...bannedWords, ...bannedInComments])
  })
  assert.deepEqual(findings, [])
})

/** A test that has no parent, whose name could be the subject. */
const TOP_NAME = new RegExp(String.raw`^test\(\s*${TEXT}`, 'gm')
const WITHOUT_SUBJECT =
  /^\S+: (?:is|are|was|has|have|does|do|can|cannot|may|must|its?|of|asks|fails|refuses|accepts)\b/

test('names of tests have a noun as their subject', () => {
  const names = filesBelow('test', /\.ts$/).flatMap((path) =>
    textsOf(read(path), TEST_NAME).map((name) => `${path}: ${name}`),
  )
  assert.deepEqual(
    names.filter((name) => /: (?:what|whom?|whoever|those)\b/i.test(name)),
    [],
  )
  const topNames = filesBelow('test', /\.ts$/).flatMap((path) =>
    textsOf(read(path), TOP_NAME).map((name) => `${path}: ${name}`),
  )
  assert.ok(topNames.length > 1_000)
  assert.deepEqual(
    topNames.filter((name) => WITHOUT_SUBJECT.test(name)),
    [],
  )
})

/** A name and its parts: of `MAX_RESPONSE_BYTES` and `maxResponseBytes` they are the same. */
function partsOf(name: string): string[] {
  const snake = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
  return [snake, ...snake.split(/[_.-]/)]
}

function badNamesIn(path: string, names: Iterable<string>): string[] {
  return [...names].flatMap((name) => {
    const parts = partsOf(name)
    return bannedNames
      .filter(({ exceptions = [] }) => !exceptions.includes(name))
      .filter(({ pattern }) => parts.some((part) => pattern.test(part)))
      .map(({ use }) => `${path}: ${name}: ${use}`)
  })
}

test('names of folders use the terms of the field', () => {
  const folders = new Set(filesBelow('.', /./).map((path) => dirname(path)))
  assert.ok(folders.has('src/features/mqtt/sessions'))
  const found = [...folders].flatMap((folder) => badNamesIn(folder, folder.split('/')))
  assert.deepEqual(found, [])
})

const sources = readAllSources({ after })

/** Literals, templates, and their concatenations; undefined for other expressions. */
function literalTextOf(node: Node): string | undefined {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text
  if (isTemplateExpression(node)) {
    const { head, templateSpans } = node
    return [head, ...templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('…')
  }
  if (!isBinaryExpression(node)) return undefined
  if (node.operatorToken.kind !== SyntaxKind.PlusToken) return undefined
  return `${literalTextOf(node.left) ?? '…'}${literalTextOf(node.right) ?? '…'}`
}

/** All files but stores: their SQL has names of released columns. */
const WORDED = /^(?:src|cli)\/(?!.*store\.ts$)/

test('texts of the service and of its commands use the terms of the field', () => {
  const texts = sources
    .filter(({ path }) => WORDED.test(path))
    .flatMap(({ path, tree }) => {
      const found: { path: string; text: string }[] = []
      walk(tree, (node) => {
        const text = literalTextOf(node)
        if (text?.includes(' ')) found.push({ path, text })
      })
      return found
    })
  assert.ok(texts.length > 1_000)
  assert.deepEqual(
    texts.flatMap(({ path, text }) => findingsIn(path, proseOf(text))),
    [],
  )
})

test('identifiers and names of files use the terms of the field', () => {
  const found = sources
    .filter(({ path }) => path !== 'statements.ts')
    .flatMap(({ path, identifiers }) => badNamesIn(path, [basename(path), ...identifiers]))
  assert.deepEqual([...new Set(found)], [])
})
