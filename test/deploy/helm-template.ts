/**
 * Renders the templates of the Helm chart: the few constructs of Go's templates that they use, and
 * an error for any other. Helm itself is not to be had where the tests run.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'

type Values = Record<string, unknown>
type Scope = { root: Values; variables: Values }

/** A text, a value, or a block with what is in it. */
type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; code: string }
  | { kind: 'if' | 'range' | 'define'; code: string; body: Node[] }

const TAG = /\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/g

/** Texts and tags by turns; a dash in a tag removes the white space next to it. */
function tokensOf(source: string): { isTag: boolean; text: string }[] {
  const tokens: { isTag: boolean; text: string }[] = []
  let at = 0
  let trimsStart = false
  for (const found of source.matchAll(TAG)) {
    const [whole, before, code = '', after] = found
    let text = source.slice(at, found.index)
    if (trimsStart) text = text.trimStart()
    if (before === '-') text = text.trimEnd()
    tokens.push({ isTag: false, text }, { isTag: true, text: code })
    at = found.index + whole.length
    trimsStart = after === '-'
  }
  const rest = source.slice(at)
  return [...tokens, { isTag: false, text: trimsStart ? rest.trimStart() : rest }]
}

function parseTemplate(source: string): Node[] {
  const root: Node[] = []
  const open: Node[][] = [root]
  for (const { isTag, text } of tokensOf(source)) {
    const into = open.at(-1) as Node[]
    const [, kind = '', code = ''] = /^(if|range|define)\s+(.*)$/.exec(text) ?? []
    if (!isTag) into.push({ kind: 'text', text })
    else if (text === 'end') open.pop()
    else if (kind === '') into.push({ kind: 'value', code: text })
    else {
      const body: Node[] = []
      into.push({ kind: kind as 'if', code, body })
      open.push(body)
    }
  }
  if (open.length !== 1) throw new Error('a block of a template does not end')
  return root
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

export class Chart {
  readonly #folder: string
  readonly #defined = new Map<string, Node[]>()
  readonly #values: Values

  constructor(folder: string, release: string) {
    this.#folder = folder
    const read = (name: string): Values => parse(readFileSync(join(folder, name), 'utf8')) as Values
    const { appVersion } = read('Chart.yaml')
    this.#values = {
      Values: read('values.yaml'),
      Chart: { AppVersion: appVersion },
      Release: { Name: release, Service: 'Helm' },
    }
    const helpers = readFileSync(join(folder, 'templates/_helpers.tpl'), 'utf8')
    for (const node of parseTemplate(helpers)) {
      if (node.kind === 'define') this.#defined.set(JSON.parse(node.code) as string, node.body)
    }
  }

  /** The rendered templates, in the order of their names. */
  render(): string[] {
    const names = readdirSync(join(this.#folder, 'templates')).filter((each) =>
      each.endsWith('.yaml'),
    )
    const scope = { root: this.#values, variables: {} }
    return names
      .toSorted()
      .map((name) => this.#nodes(parseTemplate(this.#read(name)), scope).trim())
      .filter((text) => text !== '')
  }

  #read(name: string): string {
    return readFileSync(join(this.#folder, 'templates', name), 'utf8')
  }

  #nodes(nodes: readonly Node[], scope: Scope): string {
    return nodes.map((node) => this.#node(node, scope)).join('')
  }

  #node(node: Node, scope: Scope): string {
    if (node.kind === 'text') return node.text
    if (node.kind === 'value') return shown(this.#pipeline(node.code, scope))
    if (node.kind === 'if') {
      return this.#pipeline(node.code, scope) ? this.#nodes(node.body, scope) : ''
    }
    const [, name = '', value = '', list = ''] = /^\$(\w+), \$(\w+) := (.+)$/.exec(node.code) ?? []
    return Object.entries(this.#pipeline(list, scope) as Values)
      .map(([key, item]) =>
        this.#nodes(node.body, { ...scope, variables: { [name]: key, [value]: item } }),
      )
      .join('')
  }

  #pipeline(code: string, scope: Scope): unknown {
    const [first = '', ...filters] = code.split(/\s*\|\s*/)
    return filters.reduce(
      (value, filter) => this.#filter(filter, value, scope),
      this.#term(first, scope),
    )
  }

  #filter(filter: string, value: unknown, scope: Scope): unknown {
    const [name = '', argument = ''] = filter.split(' ')
    if (name === 'quote') return JSON.stringify(shown(value))
    if (name === 'default') return value === '' ? this.#term(argument, scope) : value
    if (name === 'nindent') {
      const indent = ' '.repeat(Number(argument))
      return `\n${shown(value).replaceAll(/^(?=.)/gm, indent)}`
    }
    throw new Error(`the templates use a function that is not known here: ${name}`)
  }

  #term(code: string, scope: Scope): unknown {
    const [, included] = /^include ("[^"]+") \.$/.exec(code) ?? []
    if (included !== undefined) {
      const body = this.#defined.get(JSON.parse(included) as string)
      if (body === undefined) throw new Error(`there is no ${included}`)
      return this.#nodes(body, scope).trim()
    }
    if (code.startsWith('toYaml ')) return stringify(this.#term(code.slice(7), scope)).trimEnd()
    if (code.startsWith('$')) return scope.variables[code.slice(1)]
    const path = code.split('.').slice(1)
    if (!code.startsWith('.')) throw new Error(`not known here: ${code}`)
    return path.reduce<unknown>((value, name) => {
      const found = (value as Values | undefined)?.[name]
      if (found === undefined) throw new Error(`values have no ${code}`)
      return found
    }, scope.root)
  }
}
