/**
 * Serializes responses by their declared schemas: members that a schema does not name are dropped,
 * so that no secret gets into a response by accident.
 */
import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import { oncePer } from '../lib/once-per.ts'
import { copierOf, type Copy, UNLIKE } from './declared-copy.ts'

type Serialize = (response: unknown) => string

interface Compiled {
  /** Undefined if the schema has something that only the general serializer knows. */
  copy: Copy | undefined
  general: Serialize | undefined
}

const compiledOf = oncePer(
  (schema: TSchema): Compiled => ({ copy: copierOf(schema), general: undefined }),
)

/**
 * Compiled on first use and once per process: compiling all schemas would dominate startup time.
 *
 * Nearly all responses have the declared types. Their declared members are copied, and written by
 * `JSON.stringify`, which is several times as fast as the general serializer. That one writes all
 * others: it converts what can be converted, and throws for the rest.
 */
export function serializerOf(schema: TSchema): Serialize {
  return (response) => {
    const made = compiledOf(schema)
    const copy = made.copy?.(response)
    if (made.copy !== undefined && copy !== UNLIKE) return JSON.stringify(copy)
    made.general ??= fastJson(schema)
    return made.general(response)
  }
}
