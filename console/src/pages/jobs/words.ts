/** The words of jobs; words.de.ts has the German ones. */
import { loadPageWords } from '../../words/shared.ts'

export const { counted, rich, t } = await loadPageWords(() => import('./words.de.ts'))
