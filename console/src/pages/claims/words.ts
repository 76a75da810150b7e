/** The words of the pages of claims; words.de.ts has the German ones. */
import { loadPageWords } from '../../words/shared.ts'

export const { t, rich, counted } = await loadPageWords(() => import('./words.de.ts'))
