/** Validates queries and bodies against their schemas, with messages for people. */
import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import Type, { type TSchema } from 'typebox'
import { invalid } from '../errors/errors.ts'
import { oncePer } from '../lib/once-per.ts'
import { isTime } from '../lib/time.ts'
import { fieldErrorOf } from './schema-messages.ts'

type Check = (value: unknown) => void

const base = {
  allErrors: false,
  // Errors name their schema, which has the known members.
  verbose: true,
  strict: false,
  useDefaults: true,
  validateFormats: true,
  // Our schemas come from code. Checking each one would first compile the schema of schemas.
  meta: false,
  validateSchema: false,
} as const

function ajv(options: { coerceTypes?: boolean; removeAdditional?: 'all' }): Ajv {
  const instance = new Ajv({ ...base, ...options })
  formats.default(instance, ['uri', 'ipv4', 'ipv6'])
  // The usual definition also takes times that Postgres or `Date` can't hold.
  return instance.addFormat('date-time', isTime)
}

const bodies = ajv({})
const deviceBodies = ajv({ removeAdditional: 'all' })
const queries = ajv({ coerceTypes: true })
const deviceQueries = ajv({ coerceTypes: true, removeAdditional: 'all' })

/** Compiled on first use: compiling every schema would slow startup. */
function checker(compile: () => ValidateFunction, root: string): Check {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= compile()
    if (validate(value)) return
    const { pointer, message } = fieldErrorOf(validate.errors ?? [], root)
    throw invalid(pointer, message)
  }
}

/** The closed variant of each open schema is one object, so that it is compiled once. */
const closed = oncePer((schema: TSchema): TSchema => ({ additionalProperties: false, ...schema }))

const NOTHING = Type.Object({})

/** Bodies are not coerced. */
export function bodyCheck(schema: TSchema | undefined, unknown: 'refuse' | 'ignore'): Check {
  const shape = schema ?? NOTHING
  if (unknown === 'ignore') return checker(() => deviceBodies.compile(shape), '')
  return checker(() => bodies.compile(closed(shape)), '')
}

const PLAIN_INTEGER = /^-?\d{1,15}$/

/**
 * Query values are text from which numbers and booleans are parsed. Repeated names fail, as do
 * integers in programming-language notation such as `1e3` or the empty string.
 */
export function queryCheck(schema: TSchema | undefined, unknown: 'refuse' | 'ignore'): Check {
  const shape = schema ?? NOTHING
  const compile = (): ValidateFunction =>
    unknown === 'ignore' ? deviceQueries.compile(shape) : queries.compile(closed(shape))
  const check = checker(compile, '/query')
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { type?: string }> }
  const integers = Object.keys(properties).filter((name) => properties[name]?.type === 'integer')
  return (value) => {
    for (const [name, given] of Object.entries(value as Record<string, unknown>)) {
      if (Array.isArray(given) && properties[name] !== undefined) {
        throw invalid(`/query/${name}`, 'is given more than once')
      }
    }
    for (const name of integers) {
      const text = (value as Record<string, unknown>)[name]
      if (typeof text === 'string' && !PLAIN_INTEGER.test(text)) {
        throw invalid(`/query/${name}`, 'must be an integer')
      }
    }
    check(value)
  }
}
