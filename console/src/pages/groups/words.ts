/** The words of the pages of groups; words.de.ts has the German ones. */
import { loadPageWords } from '../../words/shared.ts'

export const { t, counted } = await loadPageWords(() => import('./words.de.ts'))
