/** The texts of pages, without parts that differ by run, by machine and by version. */
import type { Page } from 'playwright-core'

type Rule = readonly [pattern: RegExp, by: string]

/** On every page. */
const everywhere: readonly Rule[] = [
  [/\b(ws|dev|acc|usr|tpl|key|job|inv|ses|grp|dom|whk)_[\w…]+/g, '$1_…'],
  // The end of an id that is shown without its start.
  [/…[0-9a-z]{6}\b/g, '…'],
  [/\bShow (entry|[a-z_]+\.[a-z_]+) [0-9a-z]{6}\b/g, 'Show $1 ID'],
  [/127\.0\.0\.1 \d+/g, 'HOST PORT'],
  [/127\.0\.0\.1:\d+|localhost:\d+/g, 'HOST'],
  [/(cell|code:) "\d{4,5}"/g, '$1 PORT'],
  [/\b[A-Z][a-z]{2} \d+, \d{4}, \d+:\d\d:\d\d\s[AP]M\b/g, 'EXACT TIME'],
  [/\b\d+ (s|min|h|d) ago\b|\bjust now\b|\bnow\b(?=$|")/gm, 'A MOMENT AGO'],
  [/\bin \d+ (s|min|h|d)\b/g, 'SOON'],
  [/\bvor \d+ (s|min|h|d)\b|\bjetzt\b(?=$|")/gm, 'EBEN'],
  [/\bTrace(?: id|-ID) [0-9a-f]{32}\b/g, 'TRACE'],
  [/(code): [0-9a-f]{32}\b/g, '$1: TRACE'],
  [/\b(service_|mk_|mp\w?_|service_pk…?)[\w…]+/g, '$1…'],
  [/HeadlessChrome\/[\d.]+|Chrom(?:e|ium) \d[\d.]*/g, 'BROWSER'],
  // Accounts and workspaces of the seed have random names.
  [/\b[0-9a-f]{12}@example\.com\b/g, 'SOMEBODY@example.com'],
  [/\bw-[0-9a-z]{8}\b/g, 'w-SLUG'],
]

/** Where the service counts itself: each figure, version and folder. */
const ofFigures: readonly Rule[] = [
  [/\b\d+ (s|min|h) off\b/g, 'A TIME off'],
  [/\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d+\b/g, 'DATE'],
  [/(?<!level=|\w)\d[\d.,]*(?!\w)/g, 'N'],
  [/(code|definition): \/\S+/g, '$1: FOLDER'],
]

const replaced = (text: string, rules: readonly Rule[]): string =>
  rules.reduce((present, [pattern, by]) => present.replaceAll(pattern, by), text)

export const steadyText = (text: string): string => replaced(text, everywhere)

/** The steady text of a page that shows how the service is. */
export const steadyFigures = (text: string): string => replaced(steadyText(text), ofFigures)

/** Hides parts that vary as a whole, such as lines of a log, once the page has them. */
export async function hideParts(page: Page, ...headings: readonly string[]): Promise<void> {
  for (const name of headings) {
    const heading = page.getByRole('heading', { name, exact: true })
    await page
      .locator('section', { has: heading })
      .evaluate((part) => void Object.assign(part, { hidden: true }))
  }
}
