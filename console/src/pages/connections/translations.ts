/** Texts of connections; translations.de.ts has them in German. */
import { loadPageTranslations } from '../../i18n/shared.ts'

export const { rich, t } = await loadPageTranslations(() => import('./translations.de.ts'))
