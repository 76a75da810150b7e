/**
 * The source tree as data, for the architecture tests: every TypeScript file of the project with
 * what it imports and exports, read by the compiler itself. The compiler's interface for that is
 * marked as unstable; its version is pinned, and nothing but these tests uses it.
 */
import { dirname, join, relative, resolve } from 'node:path'
import { type Node, type SourceFile as Tree, SyntaxKind } from 'typescript/unstable/ast'
import {
  isCallExpression,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isNamedExports,
  isNamedImports,
  isPrivateIdentifier,
  isStringLiteral,
} from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/sync'

/** The folder of the project. */
export const ROOT = resolve(import.meta.dirname, '../..')

export interface Import {
  /** Path of the file from the root of the project, or the package's name. */
  to: string
  isPackage: boolean
  /** Whether nothing of it is left when the program runs. */
  isType: boolean
  /** The names that are taken; undefined when all of them are within reach. */
  names: readonly string[] | undefined
  line: number
}

export interface Source {
  /** From the root of the project, as `src/platform/lib/ids.ts`. */
  path: string
  text: string
  tree: Tree
  imports: readonly Import[]
  /** Every identifier that stands anywhere in the file; private ones without their `#`. */
  identifiers: ReadonlySet<string>
}

/** Line of a position in a text, counted from 1. */
export const lineAt = (text: string, position: number): number =>
  text.slice(0, position).split('\n').length

/** Calls `visit` with a node and with everything below it. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  node.forEachChild((child) => walk(child, visit))
}

/** `node:` modules in full; of other packages the name without a path inside of them. */
const packageOf = (specifier: string): string =>
  specifier.startsWith('node:')
    ? specifier
    : specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/')

type Found = Pick<Import, 'isType' | 'names'> & { specifier: Node | undefined }

const nameOf = ({ name, propertyName }: { name: Node; propertyName?: Node }): string =>
  (propertyName ?? name).getText()

function findImport(node: Node): Found | undefined {
  if (isImportDeclaration(node)) {
    const { importClause: clause, moduleSpecifier: specifier } = node
    const bindings = clause?.namedBindings
    const elements = bindings && isNamedImports(bindings) ? bindings.elements : undefined
    const isType =
      clause?.phaseModifier === SyntaxKind.TypeKeyword ||
      (clause?.name === undefined && elements?.every((item) => item.isTypeOnly) === true)
    const names = clause?.name ? ['default'] : []
    if (bindings === undefined) return { specifier, isType, names }
    return { specifier, isType, names: elements && [...names, ...elements.map(nameOf)] }
  }
  if (isExportDeclaration(node)) {
    const { exportClause: clause, moduleSpecifier: specifier, isTypeOnly: isType } = node
    if (specifier === undefined) return undefined
    const names = clause && isNamedExports(clause) ? clause.elements.map(nameOf) : undefined
    return { specifier, isType, names }
  }
  if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
    return { specifier: node.arguments[0], isType: false, names: undefined }
  }
  if (isImportTypeNode(node) && isLiteralTypeNode(node.argument)) {
    return { specifier: node.argument.literal, isType: true, names: undefined }
  }
  return undefined
}

function readSource(path: string, tree: Tree): Source {
  const imports: Import[] = []
  const identifiers = new Set<string>()
  walk(tree, (node) => {
    if (isIdentifier(node)) identifiers.add(node.text)
    if (isPrivateIdentifier(node)) identifiers.add(node.text.replace('#', ''))
    const found = findImport(node)
    if (found === undefined) return
    const { specifier, isType, names } = found
    const text = specifier && isStringLiteral(specifier) ? specifier.text : '(computed)'
    const isPackage = !text.startsWith('.')
    const to = isPackage ? packageOf(text) : join(dirname(path), text)
    const line = lineAt(tree.text, node.getStart(tree))
    imports.push({ to, isPackage, isType, names, line })
  })
  return { path, text: tree.text, tree, imports, identifiers }
}

/** Reads all files that a configuration of the compiler names. */
export function readSources(
  t: { after(close: () => void): void },
  path = 'tsconfig.json',
): Source[] {
  const api = new API({ cwd: ROOT })
  t.after(() => api.close())
  const config = join(ROOT, path)
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
  if (project === undefined) throw new Error(`the compiler cannot open ${path}`)
  return project.rootFiles.map((file) => {
    const tree = project.program.getSourceFile(file)
    if (tree === undefined) throw new Error(`the compiler cannot read ${file}`)
    return readSource(relative(ROOT, file), tree)
  })
}

/** Reads the files of the service and its tests, and those of the console. */
export const readAllSources = (t: { after(close: () => void): void }): Source[] => [
  ...readSources(t),
  ...readSources(t, 'console/tsconfig.json'),
]
