/** The words of the settings of a workspace; words.de.ts has the German ones. */
import { loadPageWords } from '../../words/shared.ts'

export const { rich, t } = await loadPageWords(() => import('./words.de.ts'))
