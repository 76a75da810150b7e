/**
 * The bodies of hooks, read strictly: what two readers could take for different things is refused,
 * since one of them is the broker that acts on the answer.
 */
import { parseJson } from '../../lib/json.ts'
import type { Fields } from './hook.ts'

const MAXIMUM_FIELDS = 32

/** Undefined for a body that is no JSON object. */
export function readJson(bytes: Buffer): Fields | undefined {
  try {
    const value = parseJson(bytes)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

/** Undefined for a body with a repeated name, a broken escape or bytes that are no UTF-8. */
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
      // An escape may stand for any byte; a bare one above 127 is of an unknown encoding.
      if (fields.has(name) || /[^\u0000-\u007F]/.test(pair)) return undefined
      fields.set(name, value)
    }
  } catch {
    return undefined
  }
  return Object.fromEntries(fields)
}
