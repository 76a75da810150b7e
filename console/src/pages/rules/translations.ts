/** Texts of rules; translations.de.ts has them in German. */
import { loadPageTranslations } from '../../i18n/shared.ts'

export const { counted, t } = await loadPageTranslations(() => import('./translations.de.ts'))
