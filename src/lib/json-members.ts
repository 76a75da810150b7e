/** What devices say over MQTT, read as JSON objects: firmware can't be told of a mistake. */
import { MalformedJson, parseJson } from './json.ts'

/** @returns undefined for whatever is no JSON object. */
export function readMembers(payload: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(payload)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch (error) {
    if (error instanceof MalformedJson) return undefined
    throw error
  }
}

/** A text as it is, anything else as JSON, cut to a length: firmware says an error as it likes. */
export function errorText(error: unknown, longest: number): string | null {
  if (error === undefined || error === null) return null
  const text = typeof error === 'string' ? error : JSON.stringify(error)
  return text.slice(0, longest).toWellFormed()
}
