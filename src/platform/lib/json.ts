/**
 * Strict JSON parser (RFC 8259 with the rules of I-JSON, RFC 7493): UTF-8 without a byte order
 * mark, no duplicate members, no NUL, no lone surrogates, finite numbers, bounded depth.
 */
const MAX_JSON_DEPTH = 32

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Whether a parsed value is an object, and neither a list nor null. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The message explains the problem and never echoes the input. */
export class MalformedJson extends Error {
  override name = 'MalformedJson'
}

const malformed = (detail: string): MalformedJson => new MalformedJson(detail)

/**
 * Scans the structure without building values: counts members and depth. Strings are skipped.
 * @param isExact whether integers that would be rounded are refused
 */
function scanStructure(text: string, isExact: boolean): number {
  let members = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at)
        break
      case 0x3a: // :
        members += 1
        break
      case 0x7b: // {
      case 0x5b: // [
        depth += 1
        if (depth > MAX_JSON_DEPTH) {
          throw malformed(`The text is nested deeper than ${MAX_JSON_DEPTH} levels.`)
        }
        break
      case 0x7d: // }
      case 0x5d: // ]
        depth -= 1
        break
      default:
        if (isExact && isDigit(text.charCodeAt(at))) at = endOfNumber(text, at)
    }
  }
  return members
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

const NUMBER_END = /[^0-9.eE+-]|$/g
/** Shorter integers are always exact. */
const EXACT_DIGITS = 15

/** @returns the place of the last character of the number */
function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (isDigit(text.charCodeAt(end))) end += 1
  const digits = end - start
  NUMBER_END.lastIndex = end
  const rest = NUMBER_END.exec(text)?.index ?? end
  const isRounded = digits > EXACT_DIGITS && !Number.isSafeInteger(Number(text.slice(start, end)))
  if (isRounded && rest === end) {
    throw malformed(
      'The text contains an integer that cannot be kept exactly; write it as a string.',
    )
  }
  return rest - 1
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at
    at += code === 0x5c ? 2 : 1
  }
  return at
}

function checkText(text: string): void {
  if (text.includes('\0')) throw malformed('The text contains a NUL character.')
  if (!text.isWellFormed()) throw malformed('The text contains a lone surrogate.')
}

/** Counts the members of a parsed value, checking every string and number on the way. */
function countMembers(value: unknown): number {
  if (typeof value === 'string') checkText(value)
  else if (typeof value === 'number' && !Number.isFinite(value)) {
    throw malformed('The text contains a number that is too large.')
  }
  if (value === null || typeof value !== 'object') return 0
  if (Array.isArray(value)) {
    let members = 0
    for (const item of value) members += countMembers(item)
    return members
  }
  const names = Object.keys(value)
  let members = names.length
  for (const name of names) {
    checkText(name)
    if (name === '__proto__') throw malformed('The text contains a member named __proto__.')
    members += countMembers((value as Record<string, unknown>)[name])
  }
  return members
}

export interface JsonOptions {
  /** Whether to refuse integers beyond 2^53 - 1, which would be rounded (RFC 7493 section 2.2). */
  isExact?: boolean
}

/**
 * Parses one JSON text.
 * @throws MalformedJson
 */
export function parseJson(bytes: Uint8Array, { isExact = false }: JsonOptions = {}): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw malformed('The text is not valid UTF-8.')
  }
  if (text.charCodeAt(0) === 0xfeff) throw malformed('The text begins with a byte order mark.')
  const members = scanStructure(text, isExact)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw malformed(`The text is not valid JSON: ${positionOf(error)}.`)
  }
  // There are as many colons outside strings as members, unless JSON.parse dropped a duplicate.
  if (countMembers(value) !== members) throw malformed('An object has a member twice.')
  return value
}

/** V8's message quotes the body; only the position may be shown. */
function positionOf(error: unknown): string {
  const at = /at position (\d+)/.exec((error as Error).message)
  return at ? `something is wrong at position ${at[1]}` : 'it ends too early'
}
