/** Texts of people who are signed in: of what frames their pages, and of many pages. */
import { loadPageTranslations } from './shared.ts'

export const { t, rich, counted } = await loadPageTranslations(() => import('./frame.de.ts'))
