/** Free-form JSON objects of bounded size. */
import Type from 'typebox'
import { invalid } from '../../platform/errors/errors.ts'

export type JsonObject = Record<string, unknown>

const MAX_JSON_BYTES = 16_384
const MAX_CONFIG_BYTES = 32_768

export const JsonObject = (description: string) =>
  Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true, description })

/**
 * Bounds the stored size.
 * @throws Failure invalid_request pointing at the member
 */
export function requireSmall(pointer: string, value: unknown, max = MAX_JSON_BYTES): void {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes > max) throw invalid(pointer, `takes ${bytes} bytes as JSON; ${max} is the most`)
}

/** The same for a device's own configuration. */
export const requireSmallConfig = (pointer: string, config: unknown): void =>
  requireSmall(pointer, config, MAX_CONFIG_BYTES)
