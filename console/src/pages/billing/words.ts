/** The words of plans, invoices and payments; words.de.ts has the German ones. */
import { loadPageWords } from '../../words/shared.ts'

export const { t, rich } = await loadPageWords(() => import('./words.de.ts'))
