/** The words of endpoints and receipts; words.de.ts has the German ones. */
import { loadPageWords } from '../../words/shared.ts'

export const { t, rich } = await loadPageWords(() => import('./words.de.ts'))
