/** The import rule: inward only, in no circle, and each power in the one place that has it. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Node } from 'typescript/unstable/ast'
import {
  isCallExpression,
  isElementAccessExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isObjectBindingPattern,
  isPropertyAccessExpression,
  isStringLiteral,
  isTemplateExpression,
} from 'typescript/unstable/ast/is'
import { type Import, lineAt, readAllSources, type Source, walk } from '../support/sources.ts'
import { areas } from './areas.ts'
import { layers, outside } from './layers.ts'

const everything = readAllSources({ after })
const sources = everything.filter(({ path }) => path.startsWith('src/'))

const layerOf = (path: string) => layers.find(({ files }) => files.test(path))
const outsiderOf = (path: string) => outside.find(({ files }) => files.test(path))
const nameOf = (path: string): string =>
  (layerOf(path) ?? outsiderOf(path))?.name ?? `unknown to test/architecture/layers.ts: ${path}`

/** `src/features/<area>/<slice>` or `src/adapters/broker/<adapter>`. */
const folderOf = (path: string): string => path.split('/').slice(0, 4).join('/')

/** Whether a list of names allows an import; see `Layer.may`. */
function allows(list: readonly string[], name: string, isType: boolean, isOwn: boolean): boolean {
  const asType = isType ? ['', 'type '] : ['']
  const prefixes = ['', isOwn ? 'own ' : 'other ']
  return asType.some((type) => prefixes.some((path) => list.includes(`${type}${path}${name}`)))
}

function complaint({ path }: Source, { to, isPackage, isType, line }: Import): string | undefined {
  const layer = layerOf(path)
  const outsider = outsiderOf(path)
  const where = `${path}:${line}`
  if (layer === undefined && outsider === undefined) {
    return `${path} belongs to no layer of test/architecture/layers.ts`
  }
  if (outsider !== undefined) {
    const isBad = !isPackage && outsider.mayNot.includes(nameOf(to))
    return isBad ? `${where}: ${outsider.name} may not import ${to}` : undefined
  }
  const { name, may = [], packages = [], because } = layer as NonNullable<typeof layer>
  const isOwn = !isPackage && folderOf(path) === folderOf(to)
  const target = isPackage ? to : nameOf(to)
  if (allows(isPackage ? packages : may, target, isType, isOwn)) return undefined
  const what = isPackage ? `the package ${to}` : `${to} (${target})`
  return `${where}: the layer "${name}" may not import ${isType ? 'even types of ' : ''}${what}. ${because}`
}

test('imports go inward only', () => {
  const complaints = sources.flatMap((source) =>
    source.imports.map((found) => complaint(source, found)),
  )
  assert.deepEqual(
    complaints.filter((text) => text !== undefined),
    [],
  )
})

test('the platform names no payment provider, except in its configuration', () => {
  const found = sources
    .filter(({ path }) => /^src\/platform\/(?!config\/)/.test(path))
    .filter(({ text }) => /stripe/i.test(text))
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  )
})

test('every layer has files, so that no rule is a dead letter', () => {
  const empty = layers.filter(({ name }) => !sources.some(({ path }) => nameOf(path) === name))
  assert.deepEqual(
    empty.map(({ name }) => name),
    [],
  )
})

/** One circle of a graph, as the nodes on it, or undefined. */
function findCircle(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>()
  const search = (node: string, path: readonly string[]): string[] | undefined => {
    const start = path.indexOf(node)
    if (start >= 0) return [...path.slice(start), node]
    if (done.has(node)) return undefined
    for (const next of graph.get(node) ?? []) {
      const found = search(next, [...path, node])
      if (found !== undefined) return found
    }
    done.add(node)
    return undefined
  }
  for (const node of graph.keys()) {
    const found = search(node, [])
    if (found !== undefined) return found
  }
  return undefined
}

/** The imports of each file, types included; `group` undefined leaves a file out. */
function graphOf(
  files: readonly Source[],
  group: (path: string) => string | undefined,
): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const { path, imports } of files) {
    const from = group(path)
    if (from === undefined) continue
    const targets = graph.get(from) ?? new Set()
    graph.set(from, targets)
    for (const { to, isPackage } of imports) {
      const target = isPackage ? undefined : group(to)
      if (target !== undefined && (target !== from || group(path) === path)) targets.add(target)
    }
  }
  return graph
}

test('no files import each other in a circle', () => {
  // Pages of the console load each other when they are opened, so its files may form circles.
  const file = (path: string) => (path.startsWith('console/') ? undefined : path)
  assert.equal(findCircle(graphOf(everything, file))?.join('\n  imports '), undefined)
})

const areaOf = (path: string): string | undefined => {
  const area = /^src\/features\/([^/]+)\//.exec(path)?.[1]
  return area === 'common' ? undefined : area
}

test('an area uses only the areas that its line in areas.ts names, and those lie below it', () => {
  const graph = graphOf(sources, areaOf)
  const used = [...graph].map(([from, targets]) => [from, [...targets].toSorted()])
  const stated = areas.map(({ name, uses }) => [name, uses.toSorted()])
  assert.deepEqual(Object.fromEntries(used), Object.fromEntries(stated))
  const order = areas.map(({ name }) => name)
  const upward = areas.flatMap(({ name, uses }) =>
    uses.filter((use) => order.indexOf(use) < order.indexOf(name)).map((use) => `${name} ${use}`),
  )
  assert.deepEqual(upward, [])
})

test('there are at most forty arrows between areas', () => {
  const arrows = areas.reduce((sum, { uses }) => sum + uses.length, 0)
  assert.ok(arrows <= 40, `${arrows} arrows`)
})

/** The service and the packages of its clients, with all that each may import of the project. */
const PACKAGES = [
  { files: /^src\//, may: /^(?:src\/|statements\.ts$)/ },
  { files: /^sdk\//, may: /^sdk\// },
  { files: /^cli\//, may: /^(?:cli|sdk)\// },
  // It calls the API in its own way, so it needs only what is generated.
  {
    files: /^console\/src\//,
    may: /^(?:console\/src\/|sdk\/(?:schema|public-operations|filters|event-types)\.ts$)/,
  },
]

test('console and cli import the sdk, and nothing of the service; the service imports neither', () => {
  for (const { files: own, may } of PACKAGES) {
    const found = everything.filter(({ path }) => own.test(path))
    assert.ok(found.length > 0, String(own))
    const beyond = found.flatMap(({ path, imports }) =>
      imports
        .filter(({ to, isPackage }) => !isPackage && !may.test(to))
        .map(({ to, line }) => `${path}:${line}: ${to}`),
    )
    assert.deepEqual(beyond, [])
  }
})

test('no slices import each other in a circle', () => {
  const slice = (path: string) => /^src\/features\/([^/]+\/[^/]+)\//.exec(path)?.[1]
  assert.equal(findCircle(graphOf(sources, slice))?.join('\n  imports '), undefined)
})

test('the folders of platform and adapters import each other in no circle', () => {
  const folder = (path: string) =>
    /^src\/(?:platform\/[a-z]+|adapters\/[a-z-]+|features)\b/.exec(path)?.[0]
  assert.equal(findCircle(graphOf(sources, folder))?.join('\n  imports '), undefined)
})

/** Places of a file at which a node is found that should not be there. */
function places(source: Source, isFound: (node: Node) => boolean): string[] {
  const found: string[] = []
  walk(source.tree, (node) => {
    if (!isFound(node)) return
    found.push(`${source.path}:${lineAt(source.text, node.getStart(source.tree))}`)
  })
  return found
}

/** `process.env`, or `process` on its way to where it can't be followed. */
function reachesEnvironment(node: Node): boolean {
  if (!isIdentifier(node) || node.text !== 'process') return false
  const { parent } = node
  if (!isPropertyAccessExpression(parent)) return true
  return parent.expression !== node || parent.name.text === 'env'
}

/** The size of the thread pool is set for Node, before anything else is loaded. */
const MAY_READ = ['src/platform/config/config.ts', 'src/platform/config/thread-pool.ts']

test('only config.ts reads the environment', () => {
  const found = sources
    .filter(({ path }) => !MAY_READ.includes(path))
    .flatMap((source) => [
      ...places(source, reachesEnvironment),
      ...source.imports.filter(({ to }) => to === 'node:process').map(() => source.path),
    ])
  assert.deepEqual(found, [])
})

/** Whether it takes a member whose name begins with an underscore; our own are `#private`. */
function takesPrivate(node: Node): boolean {
  const isPrivate = (name: Node): boolean =>
    (isIdentifier(name) || isStringLiteral(name)) && /^_[a-z]/i.test(name.text)
  if (isPropertyAccessExpression(node)) return isPrivate(node.name)
  if (isElementAccessExpression(node)) return isPrivate(node.argumentExpression)
  if (!isObjectBindingPattern(node)) return false
  return node.elements.some(({ propertyName, name }) => isPrivate(propertyName ?? (name as Node)))
}

test('no private member of Node or of a package is used', () => {
  const isOurs = ({ path }: Source): boolean => !path.startsWith('test/')
  const found = everything.filter(isOurs).flatMap((source) => places(source, takesPrivate))
  assert.deepEqual(found, [])
})

const mayHoldSql = (path: string): boolean =>
  /^(?:[a-z-]+-)?store$/.test(nameOf(path)) ||
  ['database', 'statement texts'].includes(nameOf(path)) ||
  /^src\/platform\/(?:record|idempotency)\/(?:[a-z-]+-)?store\.ts$/.test(path) ||
  // It copies any table, by the catalog.
  path === 'src/platform/backup/database-copy.ts' ||
  path === 'src/platform/jobs/store.ts'

const SQL =
  /\b(?:SELECT\s|INSERT\s+INTO\b|UPDATE\s+\S+\s+SET\b|DELETE\s+FROM\b|CREATE\s+\w|ALTER\s+\w|DROP\s+\w|TRUNCATE\s|LISTEN\s|NOTIFY\s|LOCK\s+TABLE\b)/

function isSql(node: Node): boolean {
  const isText =
    isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) || isTemplateExpression(node)
  return isText && SQL.test(node.getText())
}

test('only stores, the database folder and the copy of a database hold SQL', () => {
  const found = sources
    .filter(({ path }) => !mayHoldSql(path))
    .flatMap((source) => [
      ...places(source, isSql),
      ...source.imports
        .filter(({ names }) => names?.includes('statement') || names?.includes('sql'))
        .map(() => source.path),
    ])
  assert.deepEqual(found, [])
})

/** Whether it sends a statement: that of `sql` does it itself. */
const isSent = (node: Node): boolean =>
  isCallExpression(node) &&
  ((isPropertyAccessExpression(node.expression) && node.expression.name.text === 'query') ||
    (isIdentifier(node.expression) && node.expression.text === 'unnamed'))

/** Files that send statements which `sql` does not declare, so that no law knows their rows. */
const beyondSql: Readonly<Record<string, readonly string[]>> = {
  'it deletes from any table of a workspace': ['src/features/workspaces/lifecycle/store.ts'],
  'it reads and writes any encrypted column': [
    'src/features/workspaces/installation/re-encryption-store.ts',
  ],
  'the library composes them': ['src/app/rate-limits.ts'],
  'a filter or a list of names composes them': [
    'src/platform/database/filter-statements.ts',
    'src/platform/database/statistics.ts',
  ],
  'they are about the catalog, the server or the connection': [
    'src/platform/backup/database-copy.ts',
    'src/platform/database/availability.ts',
    'src/platform/database/partitions/concurrent-index.ts',
    'src/platform/database/partitions/definitions.ts',
    'src/platform/database/pooled.ts',
    'src/platform/database/primary-client.ts',
    'src/platform/database/request-role.ts',
    'src/platform/database/server.ts',
    'src/platform/database/workspace-scope.ts',
  ],
  'they run before the schema exists, or change it': [
    'src/platform/database/embedded-server.ts',
    'src/platform/database/migrate.ts',
    'src/platform/database/migration-apply.ts',
    'src/platform/database/partitions/convert.ts',
  ],
  'it passes on what it is given': [
    'src/platform/database/query.ts',
    'src/platform/database/scoped-query.ts',
    'src/platform/database/sql.ts',
    'src/platform/database/traced-db.ts',
  ],
}

test('statements are declared by `sql`, except where there is a reason', () => {
  const found = sources.filter((source) => places(source, isSent).length > 0)
  assert.deepEqual(
    found.map(({ path }) => path).toSorted(),
    Object.values(beyondSql).flat().toSorted(),
  )
})
