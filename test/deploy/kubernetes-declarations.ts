/**
 * Reads the types of Kubernetes out of the declarations of `kubernetes-models`, which are made from
 * the OpenAPI document of Kubernetes: the types that our kinds can reach, in the form of
 * `kubernetes-types.ts`. Names lose their common prefix.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Type, Types } from './kubernetes-types.ts'

const PREFIX = 'IIoK8sApi'
const IMPORT = /^import \{ ([^}]+) \} from "([^"]+)";$/gm
const DECLARED =
  /^export (?:interface|type) I\w+(?: extends [\w, ]+)?(?: = ([^;]+);| (\{[\s\S]*?\n\}))/m
const EXPORTED = /^export type \{ I\w+ as (\w+),/m
const TOKEN = /"[^"]*"|\w+|[{}[\]<>:;|?]/g

const shortNameOf = (name: string): string => name.slice(PREFIX.length)

/** Parses the few forms of types that the declarations have. Reads from the end of `tokens`. */
function typeOf(tokens: string[]): Type {
  const parts: Type[] = []
  do parts.push(partOf(tokens))
  while (tokens.at(-1) === '|' && tokens.pop())
  const [only = 'any', ...others] = parts
  const choices = parts.flatMap((part) =>
    typeof part === 'string' && part.startsWith('=') ? [part.slice(1)] : [],
  )
  if (choices.length === parts.length) return `=${choices.join('|')}`
  // A number or a string: the check would have to know more than that.
  return others.length === 0 ? only : 'any'
}

function partOf(tokens: string[]): Type {
  const token = tokens.pop() ?? ''
  if (token === '{') return membersOf(tokens)
  if (token.startsWith('"')) return `=${token.slice(1, -1)}`
  if (token.startsWith(PREFIX)) return `#${shortNameOf(token)}`
  if (token !== 'Array') return token
  tokens.pop()
  const item = typeOf(tokens)
  tokens.pop()
  return [item]
}

function membersOf(tokens: string[]): { [member: string]: Type } {
  const members: { [member: string]: Type } = {}
  for (let token = tokens.pop(); token !== '}'; token = tokens.pop()) {
    if (token === undefined) throw new Error('a declaration does not end')
    // `[key: string]: …` stands for any name.
    const isAny = token === '['
    if (isAny) tokens.splice(-4)
    const isOptional = isAny || tokens.at(-1) === '?'
    if (isOptional && !isAny) tokens.pop()
    tokens.pop()
    const name = isAny ? '*' : token.slice(1, -1)
    members[isOptional ? name : `${name}!`] = typeOf(tokens)
    tokens.pop()
  }
  return members
}

interface Declaration {
  name: string
  type: Type
  /** Files of what it imports. */
  imports: string[]
}

function readDeclaration(modules: string, path: string): Declaration {
  const text = readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
  const [, alias, body] = DECLARED.exec(text) ?? []
  const name = EXPORTED.exec(text)?.[1]
  const source = alias ?? body
  if (source === undefined || name === undefined) throw new Error(`${path} declares no type`)
  const tokens = (source.match(TOKEN) ?? []).toReversed()
  const imports = [...text.matchAll(IMPORT)]
    .filter(([, names]) => names?.startsWith(PREFIX))
    .map(([, , from = '']) =>
      from.startsWith('.') ? join(dirname(path), from) : join(modules, from),
    )
    .map((from) => `${from.replace(/\.js$/, '')}.d.ts`)
  return { name: shortNameOf(name), type: typeOf(tokens), imports }
}

/**
 * @param modules the folder `node_modules` with kubernetes-models
 * @param kinds such as `apps/v1/Deployment`
 */
export function readTypes(modules: string, kinds: readonly string[]): Types {
  const fileOf = (kind: string): string => join(modules, 'kubernetes-models', `${kind}.d.ts`)
  const found = new Map<string, Declaration>()
  const todo = kinds.map(fileOf)
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    if (found.has(path)) continue
    if (!existsSync(path)) throw new Error(`${path} is missing`)
    const declaration = readDeclaration(modules, path)
    found.set(path, declaration)
    todo.push(...declaration.imports)
  }
  const types = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    kinds: Object.fromEntries(kinds.map((kind) => [kind, found.get(fileOf(kind))?.name ?? ''])),
    types: Object.fromEntries(types.map(({ name, type }) => [name, type])),
  }
}
