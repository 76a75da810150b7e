/**
 * Splits an SQL file into statements, so that each can be sent alone: a statement that must not run
 * in a transaction cannot share a message with another, and failures can be reported with their
 * line.
 *
 * A semicolon ends a statement unless it is in a string, a quoted identifier, a dollar quote, a
 * comment, parentheses, or a BEGIN ATOMIC function body (PostgreSQL documentation, section 4.1,
 * "Lexical Structure"). Strings follow standard_conforming_strings = on.
 */

/** `line` is the line of the statement's first word, from 1. */
export type Statement = { text: string; line: number }

const dollarQuote = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy
const word = /[\p{L}_][\p{L}\p{N}_$]*/uy
const functionStart = /^create(?:\s+or\s+replace)?\s+(?:function|procedure)\b/i

export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = []
  let start: number | undefined
  let nesting = 0
  let blocks = 0
  let position = 0
  const finish = () => {
    if (start !== undefined) {
      statements.push({ text: sql.slice(start, position).trimEnd(), line: lineOf(sql, start) })
    }
    start = undefined
    nesting = 0
    blocks = 0
  }
  while (position < sql.length) {
    const character = sql.charAt(position)
    const blankEnd = endOfBlank(sql, position)
    if (blankEnd > position) {
      position = blankEnd
      continue
    }
    if (character === ';' && nesting === 0 && blocks === 0) {
      finish()
      position += 1
      continue
    }
    start ??= position
    if (character === '(') nesting += 1
    if (character === ')') nesting -= 1
    const token = matchAt(word, sql, position)
    if (token && functionStart.test(sql.slice(start, position + token.length))) {
      blocks = blocksAfter(blocks, token.toLowerCase())
    }
    position = endOfToken(sql, position, token)
  }
  finish()
  return statements
}

/** Only BEGIN ATOMIC bodies contain these words outside strings; CASE is closed by END too. */
function blocksAfter(blocks: number, token: string): number {
  if (token === 'begin') return blocks + 1
  if (blocks > 0 && token === 'case') return blocks + 1
  if (blocks > 0 && token === 'end') return blocks - 1
  return blocks
}

/** The line of an offset in UTF-16 units; lines count from 1. */
export const lineOf = (text: string, position: number): number =>
  text.slice(0, position).split('\n').length

function endOfBlank(sql: string, position: number): number {
  if (/\s/.test(sql.charAt(position))) return position + 1
  if (sql.startsWith('--', position)) return indexAfter(sql, '\n', position)
  if (!sql.startsWith('/*', position)) return position
  let depth = 0
  let end = position
  do {
    if (sql.startsWith('/*', end)) depth += 1
    else if (sql.startsWith('*/', end)) depth -= 1
    else {
      end += 1
      continue
    }
    end += 2
  } while (depth > 0 && end < sql.length)
  return end
}

function endOfToken(sql: string, position: number, token: string | undefined): number {
  const character = sql.charAt(position)
  if (character === "'") return endOfQuoted(sql, position, "'", false)
  if (character === '"') return endOfQuoted(sql, position, '"', false)
  if (token !== undefined) {
    const end = position + token.length
    const escapes = token.toLowerCase() === 'e' && sql.charAt(end) === "'"
    return escapes ? endOfQuoted(sql, end, "'", true) : end
  }
  const quote = matchAt(dollarQuote, sql, position)
  return quote === undefined ? position + 1 : indexAfter(sql, quote, position + quote.length)
}

function endOfQuoted(sql: string, open: number, quote: string, escapes: boolean): number {
  let position = open + 1
  while (position < sql.length) {
    if (escapes && sql.charAt(position) === '\\') position += 2
    else if (sql.charAt(position) !== quote) position += 1
    else if (sql.charAt(position + 1) === quote) position += 2
    else return position + 1
  }
  return sql.length
}

function indexAfter(sql: string, text: string, from: number): number {
  const found = sql.indexOf(text, from)
  return found === -1 ? sql.length : found + text.length
}

function matchAt(pattern: RegExp, sql: string, position: number): string | undefined {
  pattern.lastIndex = position
  return pattern.exec(sql)?.[0]
}
