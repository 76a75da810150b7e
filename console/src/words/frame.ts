/** The words of people who are signed in: of what frames their pages, and of many pages. */
import { loadPageWords } from './shared.ts'

export const { t, rich, counted } = await loadPageWords(() => import('./frame.de.ts'))
