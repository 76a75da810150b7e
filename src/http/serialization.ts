/** Writes answers in the shapes that their operations promise. */
import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'

type Serialize = (answer: unknown) => string

const compiled = new WeakMap<TSchema, Serialize>()

function compile(schema: TSchema): Serialize {
  const made = fastJson(schema)
  compiled.set(schema, made)
  return made
}

/**
 * Compiles at the first answer, and once in a process: to compile the answers of every operation
 * takes longer than all else in a start.
 */
export function serializerOf(schema: TSchema): Serialize {
  return (answer) => (compiled.get(schema) ?? compile(schema))(answer)
}
