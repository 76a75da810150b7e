/** Texts of API keys; translations.de.ts has them in German. */
import { loadPageTranslations } from '../../i18n/shared.ts'

export const { t, counted } = await loadPageTranslations(() => import('./translations.de.ts'))
