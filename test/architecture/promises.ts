/**
 * The table of docs/promises.md, compared with the pages, the descriptions of the API, and the
 * tests and constants that it names.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { variables } from '../../src/platform/config/variables.ts'
import { ROOT } from '../support/sources.ts'

const TABLE = 'docs/promises.md'
/** In the section of this file a row begins with the operation, or the schema and its member. */
const API = 'openapi.json'
/** Files that `npm run generate` writes follow from the source by themselves. */
const GENERATED = new Set(['docs/configuration.md', 'docs/errors.md', 'docs/permissions.md'])

interface Promised {
  /** A file, or `openapi.json#` and the part of the API that is described. */
  page: string
  /** Words of the page. */
  words: string
  holders: { name: string; constant: string | undefined }[]
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')
const read = (path: string): string => onOneLine(readFileSync(join(ROOT, path), 'utf8'))

function promises(): Promised[] {
  const table = readFileSync(join(ROOT, TABLE), 'utf8')
  const [, ...sections] = table.split(/^## /m)
  return sections.flatMap((section) => {
    const [page = '', ...lines] = section.split('\n')
    return lines.flatMap((line) => {
      const [, words, held = ''] = /^\| (.+?[^\\]) \| (`.+`) \|$/.exec(line) ?? []
      if (words === undefined) return []
      const holders = [...held.matchAll(/`([^`]+)`(?:: `([^`]+)`)?/g)].map(
        ([, name = '', constant]) => ({ name, constant }),
      )
      const quoted = words.replaceAll(String.raw`\|`, '|')
      if (page !== API) return [{ page, words: quoted, holders }]
      const [, part = '', said = ''] = /^([\w.]+): (.+)$/.exec(quoted) ?? []
      return [{ page: `${API}#${part}`, words: said, holders }]
    })
  })
}

const benches = readdirSync(join(ROOT, 'bench'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => read(`bench/${name}`))
  .join(' ')
/** The names that `npm run bench` takes. */
const benchNames = new Set(
  [...benches.matchAll(/\bname: '([\w-]+)'|\[ ?'([\w-]+)', /g)].map(
    ([, one, other]) => one ?? other ?? '',
  ),
)
/** Benches of many changes: a row names the line of its own. */
const LINED = new Set(['revoke', 'delays'])

function isHolder({ name, constant }: Promised['holders'][number]): boolean {
  const [, bench] = /^npm run bench -- ([\w-]+)$/.exec(name) ?? []
  if (bench !== undefined) {
    const isLine = LINED.has(bench) ? hasOnce(`'${constant}'`, benches) : constant === undefined
    return isLine && benchNames.has(bench)
  }
  if (!existsSync(join(ROOT, name))) return false
  return constant === undefined ? name.endsWith('.test.ts') : hasOnce(constant, read(name))
}

/** Whether a text has this constant in exactly one place: of several, one could change unseen. */
export const hasOnce = (constant: string, text: string): boolean =>
  placesOf(constant, text).length === 1

/**
 * Adds each description of a part of the API: of an operation, a parameter or a member of a schema,
 * also of one that only a response has.
 */
function addDescriptions(texts: Map<string, string>, value: unknown, part: string): void {
  if (typeof value !== 'object' || value === null) return
  const inside = 'operationId' in value ? String(value.operationId) : part
  for (const [key, child] of Object.entries(value)) {
    if (key === 'description' && typeof child === 'string') {
      texts.set(inside, onOneLine(`${texts.get(inside) ?? ''} ${child}`))
    } else if (key === 'properties') {
      for (const [name, member] of Object.entries(child ?? {})) {
        addDescriptions(texts, member, `${inside}.${name}`)
      }
    } else {
      addDescriptions(texts, child, inside)
    }
  }
}

/** The descriptions of the API, by `openapi.json#` and the part that they describe. */
function descriptions(): Map<string, string> {
  const { info, paths, components }: Record<string, unknown> = JSON.parse(
    readFileSync(join(ROOT, API), 'utf8'),
  )
  const texts = new Map<string, string>()
  addDescriptions(texts, info, 'info')
  addDescriptions(texts, paths, 'paths')
  for (const [kind, parts] of Object.entries(components ?? {})) {
    // All of them are failures, whose descriptions repeat the catalogue of errors.
    if (kind === 'responses') continue
    for (const [name, part] of Object.entries(parts ?? {})) addDescriptions(texts, part, name)
  }
  return new Map([...texts].map(([part, text]) => [`${API}#${part}`, text]))
}

/** Rows whose words are not on their page, or that name what is not there. */
export function brokenPromises(): string[] {
  const described = descriptions()
  const textOf = (page: string): string =>
    described.get(page) ?? (existsSync(join(ROOT, page)) ? read(page) : '')
  return promises().flatMap(({ page, words, holders }) => [
    ...(placesOf(words, textOf(page)).length > 0 ? [] : [`${page} does not say: ${words}`]),
    ...holders
      .filter((holder) => !isHolder(holder))
      .map(({ name, constant }) =>
        constant === undefined
          ? `${words}: there is no ${name}`
          : `${words}: ${name} does not have exactly once: ${constant}`,
      ),
  ])
}

/** Pages of which each row names its own test, as test/architecture/conformance.test.ts checks. */
const TESTED = new Set(['docs/mqtt-conformance.md'])
/** Former states. */
const HISTORY = /^(?:CHANGELOG\.md$|docs\/decisions\/)/

const ONES = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'
const TEENS = '(?:thir|four|fif|six|seven|eigh|nine)teen'
const TENS = '(?:twen|thir|for|fif|six|seven|eigh|nine)ty'
const MORE = `${TEENS}|${TENS}|hundred|thousand|million|dozen`
const COUNT = String.raw`(?:[\d.,]*\d|${ONES}|${MORE}|(?:half|quarter of) an?|half)`
const LONG = '(?:minute|hour|day|week|month|year)'
const TIME = String.raw`(?:ms|µs|milliseconds?|s|min|h|(?:second|${LONG})s?)`
const UNIT = String.raw`(?:${TIME}|[kKMGT]i?B|bytes|characters|%)`
const FIGURE = new RegExp(
  [
    // "within a second", "at most five", "up to 32"
    String.raw`\bwithin (?:about |the last )?\**(?:an?|a few|${COUNT}) ${TIME}\b`,
    String.raw`\bat most (?:about )?(?:an?|${COUNT})\b`,
    String.raw`\bup to ${COUNT}`,
    // "30 seconds", "64 KiB"
    String.raw`\b${COUNT}\**[ -]${UNIT}(?!\w)`,
    // "for a day", "a minute later"
    String.raw`\b(?:above|after|for|in|is|lasts|most of|than|until|up to) an? ${LONG}\b`,
    String.raw`\b(?:after|for|than) a second(?! \w)`,
    String.raw`\ban? (?:second|${LONG}) (?:after|later|old)\b`,
    // "four a second", "every hour"
    String.raw`\b(?:once|twice|times|hundreds|thousands|${COUNT}) (?:an?|per) (?:second|${LONG})\b`,
    String.raw`\bevery (?:few )?(?:second|${LONG})s?\b`,
  ].join('|'),
  'gi',
)

const SPAN = `(?:an?|a few|${COUNT}) ${TIME}`
/** How soon or how late something happens. */
const DELAYS = [
  String.raw`\bwithin (?:about )?\**${SPAN}\b`,
  String.raw`\b${SPAN} (?:late|later)\b`,
]
const DELAY = new RegExp(DELAYS.join('|'), 'i')
/** How soon, and not for how long something is possible: that is more than a minute. */
const SOON = new RegExp(
  String.raw`\bwithin (?:about )?\**(?:an?|a few|${COUNT}) (?:ms|milliseconds?|s|seconds?|minute)\b`,
  'i',
)
/** When something happens: how soon, how late, or until when at most. */
const EFFECT = new RegExp(
  [
    ...DELAYS,
    String.raw`\b(?:about|after|at most|up to) ${SPAN}\b`,
    String.raw`\b${SPAN} after\b`,
  ].join('|'),
  'gi',
)

/** Pages that people write and that are about the present. */
const isWritten = (page: string): boolean => !GENERATED.has(page) && !HISTORY.test(page)

/** Results that a bench has written, and tables that say of themselves what they are. */
const NO_PROMISES =
  /<!-- (?:npm run|measured on 20\d\d-\d\d-\d\d|estimated)[\s\S]*?<!-- end[^>]*-->/g
/** A day in a clause or a cell: it says what was measured then. */
const DAY = /\b20\d\d-\d\d-\d\d\b/
/** Between clauses, items of a list, paragraphs and cells. */
const ENDS = /((?<=[.;])\s|\n\s*(?:[-*]|\d+\.)\s|\n\s*\n|\|)/

/** The text of a page without examples, results of benches, measurements and estimates. */
const proseOf = (page: string): string =>
  onOneLine(
    readFileSync(join(ROOT, page), 'utf8')
      .replaceAll(/^```[^\n]*\n[\s\S]*?^```/gm, '')
      .replaceAll(NO_PROMISES, '')
      .replaceAll(/^#+ .*$/gm, '$&.')
      .split(ENDS)
      .map((clause) => (DAY.test(clause) ? '' : clause))
      .join(''),
  )

/** The continuation of a word or figure: "5" is none of "50", "5_000", "5.5" and "5 * 60". */
const CONTINUES = /^(?:\w|[.,]\d| [*/+-] )/

/** Where these words are in a text, and not only a part of longer ones: "3 s" is not in "13 s". */
function placesOf(words: string, text: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const isPart =
      (/^\w/.test(words) && /[\w.,]$/.test(text.slice(0, at).slice(-1))) ||
      (/\w$/.test(words) && CONTINUES.test(text.slice(at + words.length, at + words.length + 3)))
    if (!isPart) places.push(at)
  }
  return places
}

/** Rows that quote fewer than two words or cells next to their figure: other places match too. */
export const shortRows = (): string[] =>
  promises()
    .filter(({ words }) => {
      const others = words.replaceAll(FIGURE, ' ').match(/[\p{L}_]{2,}|\|/gu) ?? []
      return others.length < 2
    })
    .map(({ page, words }) => `${page}: ${words}`)

/** The figures of a text that no row of its page contains. */
function unlisted(
  listed: readonly Promised[],
  page: string,
  text: string,
  figure: RegExp,
): string[] {
  const spans = listed
    .filter((promised) => promised.page === page)
    .flatMap(({ words }) =>
      placesOf(words, text).map((from) => ({ from, to: from + words.length })),
    )
  return [...text.matchAll(figure)]
    .filter(({ index }) => !spans.some(({ from, to }) => from <= index && index < to))
    .map(({ index }) => `${page}: ${text.slice(Math.max(0, index - 40), index + 40)}`)
}

/** Figures of these pages that no row of the table contains. */
export function unlistedFigures(pages: readonly string[]): string[] {
  const listed = promises()
  return pages
    .filter((page) => isWritten(page) && page !== TABLE && !TESTED.has(page))
    .flatMap((page) => unlisted(listed, page, proseOf(page), FIGURE))
}

/** Times of an effect in descriptions of the API that no row of the table contains. */
export function unlistedEffects(): string[] {
  const listed = promises()
  return [...descriptions()].flatMap(([part, text]) => unlisted(listed, part, text, EFFECT))
}

/** Rows of how soon something happens, and those of them that nothing measures or shows. */
export function rowsOfDelays(): { count: number; unmeasured: string[] } {
  const rows = promises().filter(({ words }) => DELAY.test(words))
  const unmeasured = rows
    .filter(({ words, holders }) => {
      const isHeld = ({ name, constant }: Promised['holders'][number]): boolean =>
        name.startsWith('npm run bench -- ') || (constant === undefined && !SOON.test(words))
      return !holders.some(isHeld)
    })
    .map(({ page, words }) => `${page}: ${words}`)
  return { count: rows.length, unmeasured }
}

/** Defaults in pages, such as `MOORING_STREAMS` (1,000), that are not those of the variables. */
export function wrongDefaults(pages: readonly string[]): string[] {
  const defaults = new Map(Object.values(variables).map(({ name, fallback }) => [name, fallback]))
  return pages.filter(isWritten).flatMap((page) =>
    [...read(page).matchAll(/`(MOORING_[A-Z_]+)`(?: \(([\d,]+)\)|, ([\d,]+))/g)]
      .filter(([, name = '', one, other = '']) => {
        const said = (one ?? other).replaceAll(',', '')
        return said !== '' && defaults.get(name)?.replaceAll(/\D/g, '') !== said
      })
      .map(([text]) => `${page}: ${text}`),
  )
}
