/** Keys that move within the page: rows of its lists, its filter, its first field. */
import { t } from '../i18n/frame.ts'

const ROWS = 'main tbody tr'
const FILTER = 'main [role="combobox"][contenteditable]'
const FIELD = 'main :is(input:not([type="checkbox"], [type="radio"]), textarea, select):enabled'

/** The element of a row that takes the focus: the link to its resource, else its first control. */
const handleOf = (row: Element): HTMLElement | null =>
  row.querySelector<HTMLElement>('a') ?? row.querySelector<HTMLElement>('button, input')

const presentRow = (): Element | null => document.activeElement?.closest(ROWS) ?? null

function moveBy(step: number): void {
  const rows = [...document.querySelectorAll(ROWS)].filter((row) => handleOf(row) !== null)
  const row = presentRow()
  const next = row === null ? 0 : rows.indexOf(row) + step
  const target = rows[Math.max(0, Math.min(next, rows.length - 1))]
  if (target !== undefined) handleOf(target)?.focus()
}

const focusOn = (selector: string): void => document.querySelector<HTMLElement>(selector)?.focus()

export const listKeys: readonly { key: string; what: string; run: () => void }[] = [
  { key: 'j', what: t('Next row'), run: () => moveBy(1) },
  { key: 'k', what: t('Previous row'), run: () => moveBy(-1) },
  {
    key: 'x',
    what: t('Select the row'),
    run: () => presentRow()?.querySelector<HTMLElement>('input[type="checkbox"]')?.click(),
  },
  { key: '/', what: t('Filter'), run: () => focusOn(FILTER) },
  { key: 'e', what: t('Edit: the first field of the page'), run: () => focusOn(FIELD) },
]
