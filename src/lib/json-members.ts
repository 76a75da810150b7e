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
