/** Values of schemas: such as they describe, and such as they don't. */
import fc from 'fast-check'
import { NO_TIMES, TIMES } from '../support/time-edges.ts'
import type { Document, Json, Schema } from './document.ts'
import type { Random } from './random.ts'
import { JSON_VALUES, NUMBERS, TEXTS } from './texts.ts'
import type { World } from './world.ts'

const ID_PATTERN = /^\^(?:\(\?:)?([a-z]{2,4})(?:\|([a-z]{2,4})\))?_\[0-7\]/
const NO_ID = '00000000000000000000000000'
const DEEPEST = 5
const SAMPLES = 40

const samples = new Map<string, readonly string[]>()

/** Texts that fit a pattern, which are made once. */
function textsOf(pattern: string): readonly string[] {
  const known = samples.get(pattern)
  if (known !== undefined) return known
  const options = { numRuns: SAMPLES, seed: pattern.length }
  const made = fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), options)
  samples.set(pattern, made)
  return made
}

const OPERATORS = ['=', '!=', '<', '<=', '>', '>=', ':']
const WORDS = ['AND', 'OR', 'NOT', '(', ')', 'AND NOT', '"', "'", '\\', '*', ' ']

/** A filter, or something like one, of the fields that its description names. */
export function filterOf(description: unknown, random: Random, world: World): string {
  const named = String(description).match(/(?<=`)[a-z_.]+(?=`)/g) ?? ['name', 'status']
  const value = (): string => {
    const kind = random.below(5)
    if (kind === 0) return random.pick(TIMES)
    if (kind === 1) return random.pick([...Object.keys(world.tenant.ids), 'x']) + `_${NO_ID}`
    if (kind === 2)
      return random.pick(['active', 'true', '1', '1.5', '*', 'a*', '"*a"', '2026-01-01'])
    return `"${random.pick(TEXTS).slice(0, 50)}"`
  }
  const parts: string[] = []
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    parts.push(`${random.pick(named)} ${random.pick(OPERATORS)} ${value()}`)
    if (left > 1) parts.push(random.pick(['AND', 'AND', 'OR']))
    if (random.chance(0.1)) parts.push(random.pick(WORDS))
  }
  return parts.join(' ')
}

export class Values {
  readonly #document: Document

  constructor(document: Document) {
    this.#document = document
  }

  /** A value that the schema allows; often the id or name of something that exists. */
  of(raw: Schema, name: string, random: Random, world: World, depth = 0): unknown {
    const schema = this.#document.resolve(raw)
    const inner = (part: Schema, of = name): unknown => this.of(part, of, random, world, depth + 1)
    if ('const' in schema) return schema.const
    if (Array.isArray(schema.enum)) return random.pick(schema.enum as unknown[])
    if (Array.isArray(schema.anyOf)) return inner(random.pick(schema.anyOf as Schema[]))
    switch (schema.type) {
      case 'string':
        return this.#text(schema, name, random, world)
      case 'integer':
      case 'number':
        return this.#number(schema, random)
      case 'boolean':
        return random.chance(0.5)
      case 'null':
        return null
      case 'array':
        return this.#list(schema, inner, random, depth)
      case 'object':
        return this.#object(schema, inner, random, depth)
      default:
        return random.pick([null, 1, 'x', { on: true }, [1, 'x']])
    }
  }

  #text(schema: Schema, name: string, random: Random, world: World): string {
    const {
      format,
      pattern,
      maxLength = 50,
      minLength = 0,
      description,
    } = schema as {
      format?: string
      pattern?: string
      maxLength?: number
      minLength?: number
      description?: string
    }
    if (format === 'date-time') {
      const soon = new Date(Date.now() + 60_000 + random.below(1e9)).toISOString()
      return random.chance(0.5) ? soon : random.pick(TIMES)
    }
    const [, one, other = one] = ID_PATTERN.exec(pattern ?? '') ?? []
    if (one !== undefined && other !== undefined) {
      const prefix = random.pick([one, other])
      const id = random.chance(0.9) ? world.id(prefix, random) : undefined
      return id ?? `${prefix}_${NO_ID}`
    }
    const known = random.chance(0.7) ? world.text(name, random) : undefined
    if (known !== undefined) return known
    if (name === 'filter') return filterOf(description, random, world)
    const own = pattern === undefined ? undefined : random.pick(textsOf(pattern))
    const text = own ?? `${name} ${random.below(1e9).toString(36)}`
    const padded = text.padEnd(minLength, 'x')
    return random.chance(0.02) && own === undefined
      ? 'x'.repeat(Math.min(maxLength, 5_000))
      : padded.slice(0, maxLength)
  }

  #number({ type, minimum = 0, maximum = 1_000 }: Schema, random: Random): number {
    const [low, high] = [Number(minimum), Number(maximum)]
    const kind = random.below(4)
    if (kind === 0) return low
    if (kind === 1 && high < 1_000) return high
    const value = low + random.next() * Math.min(high - low, 100)
    return type === 'integer' ? Math.floor(value) : value
  }

  #list(schema: Schema, inner: (part: Schema) => unknown, random: Random, depth: number) {
    const {
      items = {},
      minItems = 0,
      maxItems = 3,
    } = schema as {
      items?: Schema
      minItems?: number
      maxItems?: number
    }
    const max = depth > DEEPEST ? minItems : Math.min(maxItems, minItems + 3)
    const count = minItems + random.below(max - minItems + 1)
    return Array.from({ length: count }, () => inner(items))
  }

  #object(
    schema: Schema,
    inner: (part: Schema, name: string) => unknown,
    random: Random,
    depth: number,
  ): Json {
    const {
      properties = {},
      required = [],
      patternProperties = {},
    } = schema as {
      properties?: Record<string, Schema>
      required?: string[]
      patternProperties?: Record<string, Schema>
    }
    const made: Json = {}
    for (const [name, property] of Object.entries(properties)) {
      const isWanted = required.includes(name) || (depth <= DEEPEST && random.chance(0.4))
      if (isWanted) made[name] = inner(property, name)
    }
    for (const [pattern, property] of Object.entries(patternProperties)) {
      for (let left = random.below(3); left > 0; left -= 1) {
        made[random.pick(textsOf(pattern))] = inner(property, 'value')
      }
    }
    const isOpen = Object.keys(properties).length === 0 && schema.additionalProperties !== false
    if (isOpen && random.chance(0.7)) made[random.pick(['a', 'on', 'level'])] = random.below(10)
    return made
  }

  /** A value that is at an edge of what the schema describes, or beyond it, as JSON. */
  hostile(raw: Schema, random: Random): string {
    const schema = this.#document.resolve(raw)
    if (schema.format === 'date-time' && random.chance(0.8)) {
      return JSON.stringify(random.pick([...TIMES, ...NO_TIMES]))
    }
    const kind = random.below(3)
    if (kind === 0) return random.pick(JSON_VALUES)
    const isNumber = schema.type === 'integer' || schema.type === 'number'
    if (isNumber || kind === 1) return String(random.pick(NUMBERS))
    const text = JSON.stringify(random.pick(TEXTS))
    return random.chance(0.1) ? JSON.stringify(random.pick([...TIMES, ...NO_TIMES])) : text
  }
}
