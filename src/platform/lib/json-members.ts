/**
 * Parses MQTT payloads of devices as JSON objects, leniently, since firmware cannot be notified of
 * mistakes.
 */
import { isJsonObject, MalformedJson, parseJson } from './json.ts'

/** @returns undefined for anything but a JSON object */
export function readMembers(payload: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(payload)
    return isJsonObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof MalformedJson) return undefined
    throw error
  }
}

/** Text as is, anything else as JSON, truncated: firmware reports errors in any form. */
export function errorText(error: unknown, longest: number): string | null {
  if (error === undefined || error === null) return null
  const text = typeof error === 'string' ? error : JSON.stringify(error)
  return text.slice(0, longest).toWellFormed()
}
