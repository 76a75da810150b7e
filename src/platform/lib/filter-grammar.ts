/**
 * The grammar of filters, a part of Google's AIP-160: text to a tree, and back. It knows no field.
 *
 *   filter = term {"AND" term} | term {"OR" term}        never both without parentheses
 *   term   = ["NOT"] ("(" filter ")" | field operator value)
 *   value  = "text" | 'text' | bare text up to white space or a parenthesis
 */

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | ':'

export interface FilterValue {
  /** Without quotes, escapes and wildcards. */
  text: string
  isQuoted: boolean
  /** `"x*"` is a prefix, `"*x"` a suffix, `*` alone is any value. */
  match: 'exact' | 'prefix' | 'suffix' | 'any'
}

export interface Comparison {
  kind: 'comparison'
  /** Letters, digits, `_`, `-` and dots. */
  field: string
  operator: Operator
  value: FilterValue
  /** Where each part starts in the text, in UTF-16 units from 0. */
  at: Readonly<Record<'field' | 'operator' | 'value', number>>
}

export type FilterTree =
  | Comparison
  | { kind: 'and' | 'or'; parts: readonly FilterTree[] }
  | { kind: 'not'; part: FilterTree }

/** A filter that is malformed or names something unknown. */
export class FilterError extends Error {
  /** Offset in UTF-16 units from 0. */
  readonly at: number

  /** @param reason a clause for people; must not contain user input */
  constructor(at: number, reason: string) {
    super(`at character ${at + 1}: ${reason}`)
    this.name = 'FilterError'
    this.at = at
  }
}

/** @param expected what may stand there instead */
const unexpected = (at: number, expected: string) => new FilterError(at, `expected ${expected}`)

export interface FilterLimits {
  /** In UTF-16 units. */
  length: number
  /** Maximum nesting of parentheses and NOTs. */
  depth: number
  comparisons: number
}

export const FILTER_LIMITS: FilterLimits = { length: 1_000, depth: 10, comparisons: 50 }

// All are sticky and unambiguous, so parsing takes linear time.
const SPACE = /[ \t\r\n]*/y
const WORD = /[A-Za-z_][A-Za-z0-9_.-]*/y
const OPERATOR = /!=|<=|>=|[=<>:]/y
const BARE = /[^\s()"'\u0000-\u001f]+/y
const KEYWORDS = new Set(['AND', 'OR', 'NOT'])

interface Reader {
  readonly text: string
  readonly limits: FilterLimits
  at: number
  depth: number
  comparisons: number
}

/** Consumes a match at the reader's position; returns '' if there is none. */
function take(reader: Reader, form: RegExp): string {
  form.lastIndex = reader.at
  const found = form.exec(reader.text)?.[0] ?? ''
  reader.at += found.length
  return found
}

const skipSpace = (reader: Reader): string => take(reader, SPACE)

/** Returns the keyword at the reader's position without consuming it. */
function peekWord(reader: Reader): string {
  const before = reader.at
  const word = take(reader, WORD)
  reader.at = before
  return word
}

const STAR_PLACES = 'a * at the beginning or the end of a value only; write \\* for the character'

/** Reads characters up to the end of `source`; unescaped stars are wildcards. */
function readStars(
  begin: number,
  source: string,
  isQuoted: boolean,
): { text: string; starAtBegin: boolean; starAtEnd: boolean } {
  let text = ''
  const stars: number[] = []
  for (let index = 0; index < source.length; index += 1) {
    const character = source[index] as string
    if (character === '*') {
      stars.push(text.length)
      if (stars.length > 2) throw unexpected(begin + index, STAR_PLACES)
    } else if (character === '\\' && isQuoted) {
      index += 1
      text += source[index]
    } else text += character
  }
  const [first, second] = stars
  const isWhole = source === '*'
  if (second !== undefined || (first !== undefined && first > 0 && first < text.length)) {
    throw unexpected(begin, STAR_PLACES)
  }
  return { text, starAtBegin: first === 0 && !isWhole, starAtEnd: first !== undefined && first > 0 }
}

function readQuoted(reader: Reader): string {
  const { text } = reader
  const begin = reader.at
  const quote = text[begin]
  let end = begin + 1
  for (; end < text.length && text[end] !== quote; end += 1) {
    if (text[end] === '\\') {
      end += 1
      if (!`"'\\*`.includes(text[end] ?? ' ')) {
        throw unexpected(end, `", ', \\ or * after a \\`)
      }
    }
  }
  if (end >= text.length) throw unexpected(begin, 'a quotation mark at the end of the text')
  reader.at = end + 1
  return text.slice(begin + 1, end)
}

function readValue(reader: Reader): FilterValue {
  const begin = reader.at
  const isQuoted = reader.text[begin] === '"' || reader.text[begin] === "'"
  const source = isQuoted ? readQuoted(reader) : take(reader, BARE)
  if (!isQuoted && source === '') throw unexpected(begin, 'a value')
  const raw = readStars(begin + (isQuoted ? 1 : 0), source, isQuoted)
  const { text, starAtBegin, starAtEnd } = raw
  if (source === '*') return { text: '', isQuoted, match: 'any' }
  return { text, isQuoted, match: starAtBegin ? 'suffix' : starAtEnd ? 'prefix' : 'exact' }
}

function readComparison(reader: Reader): Comparison {
  const fieldAt = reader.at
  const field = take(reader, WORD)
  if (field === '' || KEYWORDS.has(field)) {
    throw unexpected(fieldAt, 'the name of a field, NOT or (')
  }
  reader.comparisons += 1
  if (reader.comparisons > reader.limits.comparisons) {
    throw unexpected(fieldAt, `at most ${reader.limits.comparisons} comparisons`)
  }
  skipSpace(reader)
  const operatorAt = reader.at
  const operator = take(reader, OPERATOR)
  if (operator === '') throw unexpected(operatorAt, 'one of = != < <= > >= :')
  skipSpace(reader)
  const at = { field: fieldAt, operator: operatorAt, value: reader.at }
  const value = readValue(reader)
  return { kind: 'comparison', field, operator: operator as Operator, value, at }
}

function readTerm(reader: Reader): FilterTree {
  skipSpace(reader)
  const isNot = peekWord(reader) === 'NOT'
  const isGroup = reader.text[reader.at] === '('
  if (!isNot && !isGroup) return readComparison(reader)
  reader.depth += 1
  if (reader.depth > reader.limits.depth) {
    throw unexpected(reader.at, `at most ${reader.limits.depth} levels of ( and NOT`)
  }
  reader.at += isNot ? 'NOT'.length : 1
  const part = isNot ? readTerm(reader) : readFilter(reader)
  if (isGroup) {
    if (reader.text[reader.at] !== ')') throw unexpected(reader.at, 'AND, OR or )')
    reader.at += 1
  }
  reader.depth -= 1
  return isNot ? { kind: 'not', part } : part
}

const MIXED = 'parentheses around the ANDs or the ORs: which of them come first must be written'

/** Reads terms up to a closing parenthesis or the end. */
function readFilter(reader: Reader): FilterTree {
  const first = readTerm(reader)
  const parts = [first]
  let joint: string | undefined
  for (;;) {
    const hasSpace = skipSpace(reader) !== ''
    const word = peekWord(reader)
    if (word !== 'AND' && word !== 'OR') break
    if (!hasSpace && reader.text[reader.at - 1] !== ')') break
    if (joint !== undefined && joint !== word) throw unexpected(reader.at, MIXED)
    joint = word
    reader.at += word.length
    parts.push(readTerm(reader))
  }
  if (joint === undefined) return first
  return { kind: joint === 'AND' ? 'and' : 'or', parts }
}

/**
 * Parses a filter in linear time.
 * @throws FilterError, and nothing else
 */
export function parseFilter(text: string, limits: FilterLimits = FILTER_LIMITS): FilterTree {
  if (text.length > limits.length) {
    throw unexpected(limits.length, `at most ${limits.length} characters`)
  }
  const nul = text.indexOf('\u0000')
  if (nul >= 0 || !text.isWellFormed()) {
    throw unexpected(Math.max(nul, 0), 'Unicode text without NUL characters')
  }
  const reader: Reader = { text, limits, at: 0, depth: 0, comparisons: 0 }
  const tree = readFilter(reader)
  if (reader.at < text.length) throw unexpected(reader.at, 'AND, OR or the end of the filter')
  return tree
}
