/**
 * Serial formats: how a template generates device keys. A device key is a topic level, part of a
 * client id and a word in logs, so a format may only produce plain characters.
 */
import { randomCrockford } from '../../../platform/lib/crockford.ts'

/** The pattern for explicit device keys; generated keys match it as well. */
export const DEVICE_KEY_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,94}$'

/** Deployed firmware stores its key in 96 bytes including the NUL. */
const MAX_KEY_BYTES = 95
export const MAX_FORMAT_LENGTH = 120

/** Maximum length of each token's output, in characters. */
const WIDTHS = {
  '%Y': 4,
  '%M': 2,
  '%D': 2,
  '%H': 2,
  // The longest slug of a workspace.
  '%ws': 40,
  // The digits of the largest safe integer.
  '%#f': 16,
  '%4r': 4,
  '%6r': 6,
} as const

type Token = keyof typeof WIDTHS
const TOKENS = Object.keys(WIDTHS) as Token[]

type Part = { token: Token } | { literal: string }

/** A valid format. */
export interface SerialFormat {
  readonly parts: readonly Part[]
}

export interface SerialValues {
  /** The workspace's. */
  slug: string
  now: Date
  /** Ignored by formats without `%#f`. */
  sequence: number
}

const LITERAL = /^[A-Za-z0-9._-]+/

function split(text: string): Part[] | { error: string } {
  const parts: Part[] = []
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at)
    const token = TOKENS.find((name) => rest.startsWith(name))
    const literal = LITERAL.exec(rest)?.[0]
    if (token !== undefined) parts.push({ token })
    else if (literal !== undefined) parts.push({ literal })
    else if (rest.startsWith('%')) {
      return { error: `has no token at position ${at}; tokens are ${TOKENS.join(' ')}` }
    } else {
      return { error: `has a character at position ${at} that is not one of A-Z a-z 0-9 . _ -` }
    }
    at += token?.length ?? literal?.length ?? 0
  }
  return parts
}

const widthOf = (part: Part): number => ('token' in part ? WIDTHS[part.token] : part.literal.length)

const has = (parts: readonly Part[], ...tokens: Token[]): boolean =>
  parts.some((part) => 'token' in part && tokens.includes(part.token))

/**
 * Parses a format.
 * @returns the problem, in words that follow "serial_format"
 */
export function parseSerialFormat(text: string): SerialFormat | { error: string } {
  if (text.length > MAX_FORMAT_LENGTH) {
    return { error: `must not be longer than ${MAX_FORMAT_LENGTH} characters` }
  }
  const parts = split(text)
  if ('error' in parts) return parts
  const [first] = parts
  if (first !== undefined && 'literal' in first && !/^[A-Za-z0-9]/.test(first.literal)) {
    return { error: 'must begin with a letter, a digit or a token' }
  }
  if (!has(parts, '%#f', '%4r', '%6r')) {
    return { error: 'needs %#f, %4r or %6r; without one every device would get the same key' }
  }
  const width = parts.reduce((sum, part) => sum + widthOf(part), 0)
  if (width > MAX_KEY_BYTES) {
    return { error: `can make keys of ${width} characters; ${MAX_KEY_BYTES} is the most` }
  }
  return { parts }
}

/** Whether the format needs a sequence number. */
export const usesSequence = (format: SerialFormat): boolean => has(format.parts, '%#f')

const twoDigits = (value: number): string => String(value).padStart(2, '0')

function renderPart(part: Part, { slug, now, sequence }: SerialValues): string {
  if ('literal' in part) return part.literal
  switch (part.token) {
    case '%Y':
      return String(now.getUTCFullYear()).padStart(4, '0')
    case '%M':
      return twoDigits(now.getUTCMonth() + 1)
    case '%D':
      return twoDigits(now.getUTCDate())
    case '%H':
      return twoDigits(now.getUTCHours())
    case '%ws':
      return slug
    case '%#f':
      return String(sequence)
    default:
      return randomCrockford(WIDTHS[part.token])
  }
}

/** The device key; times are UTC, random characters are upper-case Crockford base32. */
export const renderSerial = (format: SerialFormat, values: SerialValues): string =>
  format.parts.map((part) => renderPart(part, values)).join('')
