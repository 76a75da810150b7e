/** Texts of the installation's pages; translations.de.ts has them in German. */
import { loadPageTranslations } from '../../i18n/shared.ts'

export const { t, rich, counted } = await loadPageTranslations(() => import('./translations.de.ts'))
