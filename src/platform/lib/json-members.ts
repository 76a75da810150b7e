/**
 * Parses MQTT payloads of devices as JSON objects, leniently, since firmware cannot be told about
 * mistakes.
 */
import { MalformedJson, parseJson } from './json.ts'

/** @returns undefined for anything but a JSON object */
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

/** Text as is, anything else as JSON, truncated: firmware reports errors in any form. */
export function errorText(error: unknown, longest: number): string | null {
  if (error === undefined || error === null) return null
  const text = typeof error === 'string' ? error : JSON.stringify(error)
  return text.slice(0, longest).toWellFormed()
}
