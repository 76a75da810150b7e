/** Texts of endpoints and receipts; translations.de.ts has them in German. */
import { loadPageTranslations } from '../../i18n/shared.ts'

export const { t, rich } = await loadPageTranslations(() => import('./translations.de.ts'))
