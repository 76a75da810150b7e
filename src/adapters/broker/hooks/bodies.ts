/**
 * Strict parsing of hook request bodies: anything ambiguous is refused, because the broker, which
 * acts on the response, might interpret it differently.
 */
import { isJsonObject, parseJson } from '../../../platform/lib/json.ts'
import type { Fields } from './hook.ts'

const MAXIMUM_FIELDS = 32

/** Undefined if the body is not a JSON object. */
export function readJson(bytes: Buffer): Fields | undefined {
  try {
    const value = parseJson(bytes)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

/** Undefined for a repeated name, a malformed escape or invalid UTF-8. */
export function readForm(bytes: Buffer): Fields | undefined {
  const pairs = bytes.toString('latin1').split('&')
  if (pairs.length > MAXIMUM_FIELDS) return undefined
  const fields = new Map<string, string>()
  try {
    for (const pair of pairs) {
      const end = pair.indexOf('=')
      if (end < 1) return undefined
      const name = decode(pair.slice(0, end))
      const value = decode(pair.slice(end + 1))
      // An escape may stand for any byte; the encoding of an unescaped one above 127 is unknown.
      if (fields.has(name) || /[^\u0000-\u007F]/.test(pair)) return undefined
      fields.set(name, value)
    }
  } catch {
    return undefined
  }
  return Object.fromEntries(fields)
}
