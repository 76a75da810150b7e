/** Texts of the pages before the sign-in, and of what all pages are made of. */
import type { german as frame } from './frame.de.ts'
import type { german as shared } from './shared.de.ts'
import { loadTable, makeTranslator, type Table, type Translator } from './translate.ts'

type SharedText = keyof typeof shared
type FrameText = keyof typeof frame

const table = await loadTable(() => import('./shared.de.ts'))

export const { t, rich } = makeTranslator<SharedText>([table])

/**
 * Texts of the frame are loaded with those of a page, so that the sign-in does without them.
 * @param load the table of a folder of pages, which use those of the frame and the shared ones, too
 */
export async function loadPageTranslations<Own extends Table>(
  load: () => Promise<{ german: Own }>,
): Promise<Translator<(keyof Own & string) | FrameText | SharedText>> {
  const own = [load, () => import('./frame.de.ts')].map(loadTable)
  return makeTranslator([...(await Promise.all(own)), table])
}
