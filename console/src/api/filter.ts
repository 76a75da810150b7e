/** Reads a filter for its editor: the colours of its parts, and the possible next words. */
import { t } from '../i18n/frame.ts'

export type TokenKind = 'field' | 'operator' | 'value' | 'keyword' | 'paren'

export interface Token {
  kind: TokenKind
  text: string
  start: number
  end: number
}

const PATTERN = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|!=|<=|>=|[=<>:]|[()]|[^\s()=<>:!"']+|!/g
const keywords = new Set(['AND', 'OR', 'NOT'])
const operators = new Set(['=', '!=', '<', '<=', '>', '>=', ':', '!'])

/** Splits a filter; wrong words in it get a kind too, since the service reports the fault. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (const match of text.matchAll(PATTERN)) {
    const [found] = match
    const start = match.index
    tokens.push({
      kind: kindOf(found, tokens.at(-1)),
      text: found,
      start,
      end: start + found.length,
    })
  }
  return tokens
}

function kindOf(text: string, before: Token | undefined): TokenKind {
  if (text === '(' || text === ')') return 'paren'
  if (operators.has(text)) return 'operator'
  if (before?.kind === 'operator') return 'value'
  return keywords.has(text) ? 'keyword' : 'field'
}

export interface FilterField {
  name: string
  /** For people: `time`, `text`, `tag`. */
  type: string
  /** Its name on the page, for instance of its column. */
  label?: string
  operators: readonly string[]
  /** All values, where they are few. */
  values?: readonly string[]
  /** The text about a value in place of the name of the field. */
  hints?: Readonly<Record<string, string>>
  /** Filters by the values that the page shows, but that the field does not have. */
  instead?: Readonly<Record<string, string>>
  /** Other values on the page, and the filters that find them: for a value of neither. */
  otherwise?: string
}

/** @param labels what the page calls them, by their names; each may have none */
export const labelled = (
  fields: readonly FilterField[],
  labels: Readonly<Record<string, string>>,
): readonly FilterField[] =>
  fields.map((each) => {
    const label = labels[each.name]
    return label === undefined ? each : { ...each, label }
  })

/** Undefined where the name says the same. */
const labelOf = ({ name, label }: FilterField): string | undefined =>
  label?.toLowerCase() === name.replaceAll('_', ' ') ? undefined : label

export interface Completion {
  text: string
  hint: string
  /** The part of the filter that it replaces. */
  start: number
  end: number
}

const joins = ['AND', 'OR']

/** The words that can stand at a position. */
function candidates(
  before: readonly Token[],
  fields: readonly FilterField[],
): readonly { text: string; hint: string }[] {
  const last = before.at(-1)
  const fieldOf = (token: Token | undefined): FilterField | undefined =>
    fields.find(({ name }) => name === token?.text)
  if (last === undefined || last.kind === 'keyword' || last.text === '(') {
    const found = fields.map((each) => ({ text: each.name, hint: labelOf(each) ?? each.type }))
    return last?.text === 'NOT' ? found : [...found, { text: 'NOT', hint: t('negates') }]
  }
  if (last.kind === 'field') {
    return (fieldOf(last)?.operators ?? []).map((text) => ({ text, hint: t('compares') }))
  }
  if (last.kind === 'operator') {
    const field = fieldOf(before.at(-2))
    return (field?.values ?? []).map((text) => ({
      text,
      hint: field?.hints?.[text] ?? field?.name ?? '',
    }))
  }
  return joins.map((text) => ({
    text,
    hint: text === 'AND' ? t('both must hold') : t('one must hold'),
  }))
}

/** A text as it stands between quotation marks. */
export const escaped = (text: string): string => text.replaceAll(/["\\*]/g, '\\$&')

interface Place {
  /** The tokens before the word that the caret is in. */
  before: readonly Token[]
  start: number
  end: number
  /** The word up to the caret, without the quotation mark that begins it. */
  typed: string
}

const unquoted = (text: string): string => text.replace(/^["']/, '')

function placeAt(text: string, caret: number): Place {
  const tokens = tokensOf(text)
  const touched = tokens.find(
    ({ start, end, kind }) => start < caret && caret <= end && kind !== 'paren',
  )
  const start = touched?.start ?? caret
  return {
    before: tokens.filter(({ end }) => end <= start),
    start,
    end: touched?.end ?? caret,
    typed: unquoted(text.slice(start, caret)),
  }
}

/** A value that is being typed. */
export interface TypedValue {
  field: string
  text: string
}

/** Undefined if the caret is not in a value. */
export function valueAt(text: string, caret: number): TypedValue | undefined {
  const { before, typed } = placeAt(text, caret)
  const field = before.at(-2)
  if (before.at(-1)?.kind !== 'operator' || field === undefined) return undefined
  return { field: field.text, text: typed }
}

/** @returns what may be typed at the caret, those that begin with what stands there first */
export function completionsAt(
  text: string,
  caret: number,
  fields: readonly FilterField[],
): Completion[] {
  const { before, start, end, typed } = placeAt(text, caret)
  const beginning = typed.toLowerCase()
  return candidates(before, fields)
    .filter(
      (each) =>
        unquoted(each.text).toLowerCase().startsWith(beginning) &&
        each.text !== text.slice(start, end),
    )
    .map((each) => ({ ...each, start, end }))
}

export interface Refusal {
  /** The fault that the service reports, without the place. */
  why: string
  /** The part of the filter that is wrong. Undefined: the message names no place. */
  place?: { start: number; end: number }
}

const BARE_VALUE = /[^\s()"']+/y

/** @returns the end of the part that begins at a position; a bare value ends at the next space */
function endOfPart(text: string, at: number): number {
  const token = tokensOf(text).find(({ start, end }) => start <= at && at < end)
  if (token === undefined) return text.length
  if (token.kind !== 'value') return token.end
  BARE_VALUE.lastIndex = token.end
  return /^["']/.test(token.text) || !BARE_VALUE.test(text) ? token.end : BARE_VALUE.lastIndex
}

/** Where a refusal names fields: the fault of one, or the existing ones. */
const NAMED = /^\w\S*|(?<=the fields are |Es gibt ).+/g
const NAME = /\w+(?:\.\w+)*/g

/** The same with what the page calls the fields. */
function withLabels(why: string, fields: readonly FilterField[]): string {
  const said = (name: string): string => {
    const field = fields.find((each) => each.name === name)
    const label = field && labelOf(field)
    return label === undefined ? name : `${name} (${label})`
  }
  return why.replace(NAMED, (part) => part.replace(NAME, said))
}

/**
 * @param message of the service, such as `cannot be read at character 10: status must be …`, or
 *   the same in German
 * @param text of the filter that it refused
 * @param fields that it can have
 */
export function refusalIn(
  message: string,
  text: string,
  fields: readonly FilterField[] = [],
): Refusal {
  const [, character, why] = /(?:at character|bei Zeichen) (\d+): (.*)$/s.exec(message) ?? []
  if (why === undefined) return { why: message }
  const start = Math.min(Number(character) - 1, text.length)
  const end = endOfPart(text, start)
  const refused = fields.find(({ name }) => why.startsWith(`${name} `))
  const instead = refused?.instead?.[text.slice(start, end).toLowerCase()]
  const advice =
    instead === undefined ? refused?.otherwise : t('For that, write: {filter}', { filter: instead })
  const said = withLabels(why, fields)
  return {
    why: advice === undefined ? said : `${said}. ${advice}`,
    place: { start, end },
  }
}
