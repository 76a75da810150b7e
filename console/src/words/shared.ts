/** The words of what all pages are made of, and of the pages before the sign-in. */
import type { german } from './shared.de.ts'
import { loadTable, makeWords, type Table, type Words } from './translate.ts'

type SharedText = keyof typeof german

const table = await loadTable(() => import('./shared.de.ts'))

export const { t, rich, counted } = makeWords<SharedText>([table])

/** @param load the table of a folder of pages, which use the shared words, too */
export async function loadPageWords<Own extends Table>(
  load: () => Promise<{ german: Own }>,
): Promise<Words<(keyof Own & string) | SharedText>> {
  return makeWords([await loadTable(load), table])
}
