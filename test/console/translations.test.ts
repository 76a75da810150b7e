/**
 * The console in two languages: no text of a page is missing in the tables, and no table has a text
 * that no page shows.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { parseAst } from 'vite'
import { ROOT } from '../support/sources.ts'

const SOURCE = join(ROOT, 'console/src')

/** Code that people copy, and formats. */
const CODE = /(snippets|device-code|serial-format|webhook-code)\.ts$/
/** The samples on the page of the components. */
const SAMPLES = 'pages/kit/Kit.tsx'
const TABLE = /\.(?:de|en)\.ts$/

/** Attributes and members whose values nobody reads. */
const TECHNICAL =
  /^(class(Name)?|to|href|type|kind|tone|key|id|pointer|autoComplete|inputMode|role|method|path|pattern|lang|rel|target|area|align|mode|format|form|value|defaultValue|from|operation|media|query|filter|accept|allow|sandbox|d|viewBox|transform|icon|aria-(live|current|sort|orientation|haspopup|controls|describedby|labelledby|keyshortcuts))$/

/** Members that are shown where an object describes something that a person sees. */
const SHOWN = /^(name|label|title|hint|note|text|summary|placeholder|detail|empty)$/

/** Texts that are the same in every language. */
const SAME = new Set(['Mooring', 'Deutsch', 'English', 'Postgres', 'PDF'])

interface Tree {
  type: string
  [member: string]: unknown
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && typeof (value as Tree).type === 'string'

/** Calls back for a node and all below it, with the nodes above it, the nearest last. */
function walk(tree: Tree, onNode: (node: Tree, above: readonly Tree[]) => boolean | void): void {
  const visit = (node: Tree, above: readonly Tree[]): void => {
    if (onNode(node, above) === false) return
    const within = [...above, node]
    for (const value of Object.values(node)) {
      for (const each of Array.isArray(value) ? value : [value]) {
        if (isTree(each)) visit(each, within)
      }
    }
  }
  visit(tree, [])
}

/** The name of an identifier, or of a literal that stands for one. */
function nameOf(node: unknown): string {
  const name = isTree(node) ? (node['name'] ?? node['value']) : undefined
  return typeof name === 'string' ? name : ''
}

const TRANSLATES = new Set(['t', 'rich', 'counted'])

const isTranslation = (node: Tree | undefined): boolean =>
  node?.type === 'CallExpression' && TRANSLATES.has(nameOf(node['callee']))

/** The text of a literal, of a template, or of JSX; undefined for everything else. */
function textOf(node: Tree): string | undefined {
  if (node.type === 'JSXText') return String(node['value']).replaceAll(/\s+/g, ' ').trim()
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  if (node.type !== 'TemplateLiteral') return undefined
  const parts = node['quasis'] as { value: { cooked: string } }[]
  return parts.map(({ value }) => value.cooked).join('{}')
}

const WORDS = /\p{L}{2,}[,.:;]? \p{L}{2,}/u
const CAPITAL = /^\p{Lu}\p{Ll}+/u
/** Selectors of CSS, filters of lists, and commands. */
const CODE_TEXT = /^\(|= ?"| != |_\w+ = |--\w|^main tbody|^button, |^mooring /

/** Whether a person reads this text: its place and its form show it. */
function isRead(text: string, above: readonly Tree[]): boolean {
  const parent = above.at(-1)
  if (parent === undefined || SAME.has(text) || CODE_TEXT.test(text)) return false
  const holders = above.filter(({ type }) => type === 'JSXAttribute' || type === 'Property')
  const holder = holders.at(-1)
  const holderName = nameOf(holder?.type === 'Property' ? holder['key'] : holder?.['name'])
  if (TECHNICAL.test(holderName)) return false
  if (WORDS.test(text)) return true
  const isShown = holder?.type === 'JSXAttribute' || SHOWN.test(holderName)
  return isShown && CAPITAL.test(text)
}

/** Where a literal is not a text at all. */
const isElsewhere = (above: readonly Tree[]): boolean =>
  above.some(
    (each) =>
      /^(Import|Export(All|Named)|TS(?!AsExp|Satisf|NonNull))/.test(each.type) &&
      each.type !== 'ExportNamedDeclaration',
  ) ||
  above.some((each) => each.type === 'NewExpression' && nameOf(each['callee']).endsWith('Error'))

interface Source {
  path: string
  /** The folder below pages that has a table of its own; undefined for what all pages use. */
  folder: string | undefined
  used: Set<string>
  untranslated: string[]
}

function read(path: string): Source {
  const text = readFileSync(join(SOURCE, path), 'utf8')
  const used = new Set<string>()
  const untranslated: string[] = []
  walk(
    parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Tree,
    (node, above) => {
      if (node.type === 'JSXText' && /\p{L}{2}/u.test(textOf(node) ?? '')) {
        if (!SAME.has(textOf(node) ?? '')) untranslated.push(textOf(node) ?? '')
        return true
      }
      const found = textOf(node)
      if (found === undefined) return true
      const isArgument = isTranslation(above.at(-1))
      if (isArgument) used.add(found)
      else if (!isElsewhere(above) && isRead(found, above)) untranslated.push(found)
      return true
    },
  )
  const [, folder] = /^pages\/([^/]+)\//.exec(path) ?? []
  return { path, folder, used, untranslated }
}

const sources = globSync('**/*.{ts,tsx}', { cwd: SOURCE })
  .filter((path) => !TABLE.test(path) && !CODE.test(path) && !path.startsWith('i18n/'))
  .map(read)

interface GermanTable {
  path: string
  /** As of a source. */
  folder: string | undefined
  texts: Readonly<Record<string, string>>
}

// Other files with German words are parts of these, or tables whose keys have a type of their own.
const tables: readonly GermanTable[] = await Promise.all(
  globSync('**/{translations,shared,common,frame}.de.ts', { cwd: SOURCE }).map(async (path) => {
    const { german } = (await import(join(SOURCE, path))) as { german: Record<string, string> }
    const folder = path.startsWith('pages/') ? basename(dirname(path)) : undefined
    return { path, folder, texts: german }
  }),
)

const shared = tables.filter(({ folder }) => folder === undefined)

describe('the translations of the console', () => {
  test('every text goes through a table', () => {
    const missing = sources
      .filter(({ path }) => path !== SAMPLES)
      .flatMap(({ path, untranslated }) => untranslated.map((text) => `${path}: ${text}`))
    assert.deepEqual(missing, [])
  })

  test('every table is used, in whole', () => {
    const folders = new Set(globSync('pages/*/translations.ts', { cwd: SOURCE }).map(dirname))
    assert.ok(folders.size > 0)
    const read = new Set(tables.map(({ path }) => dirname(path)))
    assert.deepEqual(
      [...folders].filter((path) => !read.has(path)),
      [],
    )
    const usedBy = (isOne: (source: Source) => boolean): Set<string> =>
      new Set(sources.filter(isOne).flatMap(({ used }) => [...used]))
    const all = usedBy(() => true)
    const idle = tables.flatMap(({ path, folder, texts }) => {
      const used = folder === undefined ? all : usedBy((each) => each.folder === folder)
      return Object.keys(texts)
        .filter((text) => !used.has(text))
        .map((text) => `${path}: ${text}`)
    })
    assert.deepEqual(idle, [])
  })

  test('a text that all pages have is in no table of a page', () => {
    const known = new Set(shared.flatMap(({ texts }) => Object.keys(texts)))
    const twice = tables
      .filter(({ folder }) => folder !== undefined)
      .flatMap(({ path, texts }) =>
        Object.keys(texts)
          .filter((text) => known.has(text))
          .map((text) => `${path}: ${text}`),
      )
    assert.deepEqual(twice, [])
  })

  test('both languages name the same values', () => {
    const places = (text: string): string => (text.match(/\{\w+\}/g) ?? []).sort().join()
    const differing = tables.flatMap(({ path, texts }) =>
      Object.entries(texts)
        .filter(([english, german]) => german === '' || places(english) !== places(german))
        .map(([english]) => `${path}: ${english}`),
    )
    assert.deepEqual(differing, [])
  })
})
