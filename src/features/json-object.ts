/** Free-form JSON objects of bounded size. */
import Type from 'typebox'
import { invalid } from '../errors.ts'

export type JsonObject = Record<string, unknown>

const MAX_JSON_BYTES = 16_384

export const JsonObject = (description: string) =>
  Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true, description })

/**
 * Bounds the stored size.
 * @throws Failure invalid_request pointing at the member
 */
export function demandSmall(pointer: string, value: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes > MAX_JSON_BYTES) {
    throw invalid(pointer, `takes ${bytes} bytes as JSON; ${MAX_JSON_BYTES} is the most`)
  }
}
