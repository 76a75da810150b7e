/** Tidiness of the source: a reader may rely on it in every file. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import {
  isArrowFunction,
  isAsExpression,
  isConstructorDeclaration,
  isExportDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isIdentifier,
  isImportDeclaration,
  isMethodDeclaration,
  isNamedExports,
  isSetAccessorDeclaration,
  isStringLiteral,
  isVariableStatement,
} from 'typescript/unstable/ast/is'
import { lineAt, readAllSources, ROOT, type Source, walk } from '../support/sources.ts'

const sources = readAllSources({ after })
const byPath = new Map(sources.map((source) => [source.path, source]))

/** The files that import a file, by its path. */
const importers = new Map<string, Set<Source>>()
for (const source of sources) {
  for (const { to } of source.imports) {
    importers.set(to, (importers.get(to) ?? new Set()).add(source))
  }
}
const importersOf = (path: string): Source[] => [...(importers.get(path) ?? [])]

/** Asserts that nothing was found, and shows what was. */
const none = (found: readonly (string | undefined)[]): void =>
  assert.deepEqual(
    found.filter((item) => item !== undefined),
    [],
  )

/** They have one line for each type or text. */
const GENERATED = ['statements.ts', 'sdk/schema.ts', 'sdk/public-operations.ts', 'sdk/filters.ts']

const MAX_FILE_LINES = 400

const linesOf = (text: string): number => text.trimEnd().split('\n').length

test('files are short enough to be read in one sitting', () => {
  none(
    sources.map((source) => {
      if (GENERATED.includes(source.path)) return undefined
      const lines = linesOf(source.text)
      return lines > MAX_FILE_LINES ? `${source.path}: ${lines} lines` : undefined
    }),
  )
})

const MAX_FUNCTION_LINES = 50

/** A component of the console is mostly its elements, which show what is seen in one piece. */
const COMPONENTS = /^console\/.*\.tsx$/

const functionKinds = [
  isFunctionDeclaration,
  isFunctionExpression,
  isArrowFunction,
  isMethodDeclaration,
  isConstructorDeclaration,
  isGetAccessorDeclaration,
  isSetAccessorDeclaration,
]

const isFunction = (node: Node): boolean => functionKinds.some((isKind) => isKind(node))

test('functions are short enough to be seen at once, without the functions inside them', () => {
  const long: string[] = []
  for (const { path, text, tree } of sources.filter((each) => !COMPONENTS.test(each.path))) {
    const first = (node: Node): number => lineAt(text, node.getStart(tree))
    const height = (node: Node): number => lineAt(text, node.end) - first(node) + 1
    /** Looks at what stands below a node. @returns how many lines belong to functions there. */
    const measure = (node: Node): number => {
      let inside = 0
      node.forEachChild((child) => {
        inside += measure(child)
      })
      if (!isFunction(node)) return inside
      // The first line of a function inside is one of those around it.
      const own = height(node) - inside
      if (own > MAX_FUNCTION_LINES) long.push(`${path}:${first(node)}: ${own} lines`)
      return height(node) - 1
    }
    measure(tree)
  }
  none(long)
})

const MAX_COLUMNS = 100

/** The code that may stand behind a text on its line, as `, async (t) => {` does. */
const BEHIND = 20

const texts: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateExpression,
  SyntaxKind.RegularExpressionLiteral,
])

/** Whether the part of a line beyond the limit belongs to a text, which can't be broken. */
function isText({ tree }: Source, lineStart: number, lineEnd: number): boolean {
  let found = false
  walk(tree, (node) => {
    if (found || !texts.has(node.kind)) return
    const start = node.getStart(tree)
    const rest = Math.max(0, lineEnd - node.end)
    found = start < lineStart + MAX_COLUMNS && rest <= BEHIND && node.end > lineStart
  })
  return found
}

test('lines have at most a hundred columns, unless a text fills them', () => {
  const long: string[] = []
  for (const source of sources.filter(({ path }) => !GENERATED.includes(path))) {
    let start = 0
    for (const [index, line] of source.text.split('\n').entries()) {
      const end = start + line.length
      if (line.length > MAX_COLUMNS && !isText(source, start, end)) {
        long.push(`${source.path}:${index + 1}`)
      }
      start = end + 1
    }
  }
  none(long)
})

test('every file begins with a comment about its purpose', () => {
  none(
    sources.map(({ path, text }) => {
      const start = text.replace(/^#!.*\n/, '')
      return /^(?:\/\*\*?\s+|\/\/\s)\S/.test(start) ? undefined : path
    }),
  )
})

/** Lines that match, as `path:line`. */
const linesWith = (pattern: RegExp): string[] =>
  sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      ),
  )

test('nothing is left for later', () => {
  // Written so that this line is not one of them.
  none(linesWith(/\b(?:TO[D]O|FIX[M]E|XX[X])\b/))
})

test('no test runs alone, and none is left out without a reason', () => {
  none(linesWith(/\.only\(|\bonly: true|\bskip: true|\btodo: true|\.todo\(/))
  none(linesWith(/\.skip\((?!['"`])/))
})

test('no rule of the compiler or the linter is switched off without a reason', () => {
  none(linesWith(/@ts-(?:ignore|nocheck|expect-error)/))
  none(linesWith(/(?:ox|es)lint-disable(?!.* -- \S)/))
})

test('nothing has the type any', () => {
  const found: string[] = []
  for (const { path, text, tree } of sources) {
    const lines = text.split('\n')
    walk(tree, (node) => {
      if (node.kind !== SyntaxKind.AnyKeyword) return
      const line = lineAt(text, node.getStart(tree))
      if (!/no-explicit-any -- \S/.test(lines[line - 2] ?? '')) found.push(`${path}:${line}`)
    })
  }
  none(found)
})

/**
 * Texts that are the path of a file, from the file or from the root: files that are started or
 * read, and not those that are imported.
 */
function filesNamed({ path, tree }: Source): string[] {
  const found: string[] = []
  walk(tree, (node) => {
    if (!isStringLiteral(node) || !node.text.endsWith('.ts')) return
    if (isImportDeclaration(node.parent) || isExportDeclaration(node.parent)) return
    for (const file of [join(dirname(path), node.text), node.text]) {
      if (byPath.has(file)) found.push(file)
    }
  })
  return found
}

function reachable(roots: readonly string[]): Set<string> {
  const seen = new Set<string>()
  const visit = (path: string): void => {
    const source = byPath.get(path)
    if (source === undefined || seen.has(path)) return
    seen.add(path)
    for (const { to, isPackage } of source.imports) if (!isPackage) visit(to)
    for (const file of filesNamed(source)) visit(file)
  }
  for (const root of roots) visit(root)
  return seen
}

test('every file is used', () => {
  const programs = [
    ['src/', reachable(['src/main.ts'])],
    ['console/src/', reachable(['console/src/main.tsx', 'console/src/pay/main.tsx'])],
  ] as const
  const isStarted = ({ path }: Source): boolean =>
    /^(?:test\/(?:fuzz\/|faults\/harness\/|pictures\/)?|bench\/(?:cluster\/)?|generate\/)run\.ts$|\.test\.ts$|^examples\/[^/]+\.ts$/.test(
      path,
    )
  const all = reachable(sources.filter(isStarted).map(({ path }) => path))
  assert.ok(existsSync(join(ROOT, 'src/main.ts')), 'the service starts with src/main.ts')
  none(
    sources.map(({ path }) => {
      const [, used] = programs.find(([folder]) => path.startsWith(folder)) ?? ['', all]
      const isUsed = used.has(path)
      // The compiler takes declarations by themselves.
      return isUsed || path.endsWith('.d.ts') ? undefined : path
    }),
  )
})

const CRUMB_LINES = 40

/**
 * Short files that stay: the parts of a slice, of a broker kind, of the command line and of the
 * pages of an area that have the same name everywhere, the failures of one area, and the rules that
 * a folder is named after.
 */
const ROLES =
  /\/(?:routes|schema|store|jobs|kind|contract|translations|([\w-]+?)s?\/\1)\.ts$|^src\/(?:commands\/[^/]+|platform\/errors\/\w+)\.ts$/

test('no file of a few lines serves a single other file of its folder', () => {
  const isStarted = new Set(sources.flatMap(filesNamed))
  none(
    sources.map(({ path, text }) => {
      const lines = linesOf(text)
      if (lines >= CRUMB_LINES || ROLES.test(path) || isStarted.has(path)) return undefined
      if (GENERATED.includes(path)) return undefined
      const [only, ...others] = importersOf(path)
      if (only === undefined || others.length > 0) return undefined
      if (dirname(only.path) !== dirname(path)) return undefined
      const isRoom = linesOf(only.text) + lines <= MAX_FILE_LINES
      return isRoom ? `${path}: belongs in ${only.path}` : undefined
    }),
  )
})

interface Export {
  name: string
  /** An interface or a type: it may be there for anyone who reads the signatures of its file. */
  isType: boolean
}

/** The declarations and exports of a file, and `default` for the one that it is known by. */
function exportsOf({ tree }: Source): Export[] {
  const found: Export[] = []
  for (const statement of tree.statements) {
    if (isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier, isTypeOnly } = statement
      if (moduleSpecifier !== undefined || !exportClause || !isNamedExports(exportClause)) continue
      for (const { name } of exportClause.elements) {
        found.push({ name: name.getText(), isType: isTypeOnly })
      }
      continue
    }
    if (!/^export\b/.test(statement.getText())) continue
    const isType =
      statement.kind === SyntaxKind.InterfaceDeclaration ||
      statement.kind === SyntaxKind.TypeAliasDeclaration
    if (/^export default function\b/.test(statement.getText())) {
      found.push({ name: 'default', isType })
    } else if (isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) {
        walk(name, (node) => {
          if (isIdentifier(node)) found.push({ name: node.text, isType })
        })
      }
    } else if ('name' in statement && statement.name !== undefined) {
      found.push({ name: (statement.name as Node).getText(), isType })
    }
  }
  return found
}

/**
 * Whether a file takes a name from another. A file that has all of them within reach takes those
 * that it says, and the default one, which is loaded without its name.
 */
function takes(source: Source, from: string, name: string): boolean {
  return source.imports.some(
    ({ to, names }) =>
      to === from &&
      (names?.includes(name) ?? (name === 'default' || source.identifiers.has(name))),
  )
}

/** `export * from` hands the names of a file on, so that they are taken from there. */
function handsOn(source: Source): string[] {
  return source.tree.statements
    .filter(isExportDeclaration)
    .filter(({ exportClause }) => exportClause === undefined)
    .map(({ moduleSpecifier }) =>
      join(
        dirname(source.path),
        (moduleSpecifier as Node | undefined)?.getText().slice(1, -1) ?? '',
      ),
    )
}

test('exports are used in other files', () => {
  const carriers = new Map<string, string[]>()
  for (const source of sources) {
    for (const to of handsOn(source)) carriers.set(to, [...(carriers.get(to) ?? []), source.path])
  }
  const unused: string[] = []
  for (const source of sources) {
    const places = [source.path, ...(carriers.get(source.path) ?? [])]
    const uses = source.text.split(/\W+/)
    for (const { name, isType } of exportsOf(source)) {
      if (places.some((from) => importersOf(from).some((it) => takes(it, from, name)))) continue
      if (isType && uses.filter((word) => word === name).length > 1) continue
      // Types of the package for clients, and what is generated for it, are there for its users.
      const isGenerated = GENERATED.includes(source.path)
      if (source.path.startsWith('sdk/') && (isType || isGenerated)) continue
      // A table of texts, which the translations of the console load.
      if (source.path.endsWith('.de.ts') && name === 'german') continue
      unused.push(`${source.path}: ${name}`)
    }
  }
  none(unused)
})

/** One atom of a pattern, and how often it may stand there. */
const ATOM = /(\[(?:[^\]\\]|\\.)*\]|\\[pP]\{[^}]*\}|\\.|[^\\^$*+?()[{|])([*+?]|\{\d+,?\d*\})?\??/y

/**
 * Whether a search with this pattern may look at a run of characters from each of its places again:
 * it begins with as many of something as there are, and then wants something else.
 */
function isSlowToSearch(literal: string): boolean {
  const end = literal.lastIndexOf('/')
  if (literal.slice(end).includes('y')) return false
  const pattern = literal.slice(1, end)
  for (ATOM.lastIndex = 0; ; ) {
    const [, , often = ''] = ATOM.exec(pattern) ?? [undefined, undefined, undefined]
    if (/^(?:[*+]|\{\d+,\})/.test(often)) return ATOM.lastIndex < pattern.length
    if (often !== '?') return false
  }
}

test('no pattern is searched for in more than linear time', () => {
  assert.ok(isSlowToSearch('/ *, */') && isSlowToSearch('/\\.?0+$/') && isSlowToSearch('/[ab]+c/g'))
  assert.ok(!isSlowToSearch('/^ *,/') && !isSlowToSearch('/[ab]+/g') && !isSlowToSearch('/a *b/'))
  const found: string[] = []
  for (const { path, text, tree } of sources.filter(({ path }) => path.startsWith('src/'))) {
    walk(tree, (node) => {
      if (node.kind !== SyntaxKind.RegularExpressionLiteral) return
      const literal = text.slice(node.getStart(), node.end)
      if (isSlowToSearch(literal)) found.push(`${path}:${lineAt(text, node.end)}: ${literal}`)
    })
  }
  none(found)
})

/** The record docs/decisions/0067-statement-types.md has their kinds. The number only goes down. */
const MAX_CASTS = 315

test('there are no more casts in src than before', () => {
  let casts = 0
  for (const { tree } of sources.filter(({ path }) => path.startsWith('src/'))) {
    walk(tree, (node) => {
      if (isAsExpression(node) && node.type.getText(tree) !== 'const') casts += 1
    })
  }
  assert.ok(casts <= MAX_CASTS, `${casts} casts`)
})
