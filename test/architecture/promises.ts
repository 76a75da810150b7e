/** The table of docs/promises.md, compared with the pages, tests and constants that it names. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { variables } from '../../src/platform/config/variables.ts'
import { ROOT } from '../support/sources.ts'

const TABLE = 'docs/promises.md'
/** What `npm run generate` writes follows from the source by itself. */
const GENERATED = new Set(['docs/configuration.md', 'docs/errors.md', 'docs/permissions.md'])

interface Promised {
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
      return [{ page, words: words.replaceAll(String.raw`\|`, '|'), holders }]
    })
  })
}

/** The names that `npm run bench` takes. */
function benchNames(): Set<string> {
  const files = readdirSync(join(ROOT, 'bench')).filter((name) => name.endsWith('.ts'))
  const text = files.map((name) => read(`bench/${name}`)).join(' ')
  return new Set(
    [...text.matchAll(/\bname: '([\w-]+)'|\[ ?'([\w-]+)', /g)].map(
      ([, one, other]) => one ?? other ?? '',
    ),
  )
}

function isHolder({ name, constant }: Promised['holders'][number]): boolean {
  const [, bench] = /^npm run bench -- ([\w-]+)$/.exec(name) ?? []
  if (bench !== undefined) return benchNames().has(bench)
  if (!existsSync(join(ROOT, name))) return false
  return constant === undefined ? name.endsWith('.test.ts') : read(name).includes(constant)
}

/** Rows whose words are not on their page, or that name what is not there. */
export const brokenPromises = (): string[] =>
  promises().flatMap(({ page, words, holders }) => [
    ...(existsSync(join(ROOT, page)) && read(page).includes(words)
      ? []
      : [`${page} does not say: ${words}`]),
    ...holders
      .filter((holder) => !isHolder(holder))
      .map(({ name, constant }) => `${words}: there is no ${name} ${constant ?? ''}`.trim()),
  ])

const pages = (): string[] => [
  'README.md',
  ...['docs', 'docs/brokers'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
]

const COUNT = String.raw`(?:an?|one|two|three|four|five|six|seven|ten|twenty|fifty|half an?|a few|[\d.,]+)`
const UNIT = String.raw`(?:ms|s|seconds?|minutes?|hours?|days?|weeks?)`
const FIGURE = new RegExp(
  String.raw`\bwithin (?:about |the last )?\**${COUNT} ${UNIT}\b|\b[Aa]t most (?:about )?${COUNT}\b|\bup to [\d,]+`,
  'g',
)

/** The text of a page without examples, and without results that the benches wrote. */
const proseOf = (page: string): string =>
  onOneLine(
    readFileSync(join(ROOT, page), 'utf8')
      .replaceAll(/^```[^\n]*\n[\s\S]*?^```/gm, '')
      .replaceAll(/<!-- npm run bench[\s\S]*?<!-- end[^>]*-->/g, ''),
  )

function placesOf(words: string, text: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) places.push(at)
  return places
}

/** Figures after "within", "at most" or "up to" that no row of the table contains. */
export function unlistedFigures(): string[] {
  const listed = promises()
  return pages()
    .filter((page) => page !== TABLE && !GENERATED.has(page))
    .flatMap((page) => {
      const text = proseOf(page)
      const spans = listed
        .filter((promised) => promised.page === page)
        .flatMap(({ words }) =>
          placesOf(words, text).map((from) => ({ from, to: from + words.length })),
        )
      return [...text.matchAll(FIGURE)]
        .filter(({ index }) => !spans.some(({ from, to }) => from <= index && index < to))
        .map(({ index }) => `${page}: ${text.slice(Math.max(0, index - 40), index + 40)}`)
    })
}

/** Defaults in pages, such as `MOORING_STREAMS` (1,000), that are not those of the variables. */
export function wrongDefaults(): string[] {
  const defaults = new Map(Object.values(variables).map(({ name, fallback }) => [name, fallback]))
  return pages()
    .filter((page) => !GENERATED.has(page))
    .flatMap((page) =>
      [...read(page).matchAll(/`(MOORING_[A-Z_]+)`(?: \(([\d,]+)\)|, ([\d,]+))/g)]
        .filter(([, name = '', one, other = '']) => {
          const said = (one ?? other).replaceAll(',', '')
          return said !== '' && defaults.get(name)?.replaceAll(/\D/g, '') !== said
        })
        .map(([text]) => `${page}: ${text}`),
    )
}
