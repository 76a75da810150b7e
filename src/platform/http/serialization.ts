/** Serializes responses by their declared schemas. */
import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'

type Serialize = (response: unknown) => string

const compiled = new WeakMap<TSchema, Serialize>()

function compile(schema: TSchema): Serialize {
  const made = fastJson(schema)
  compiled.set(schema, made)
  return made
}

/**
 * Compiled on first use and once per process: compiling all schemas would dominate startup time.
 */
export function serializerOf(schema: TSchema): Serialize {
  return (response) => (compiled.get(schema) ?? compile(schema))(response)
}
