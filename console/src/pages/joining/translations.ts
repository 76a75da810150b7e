/** Texts of how people get an account or join a workspace; German is in translations.de.ts. */
import { loadPageTranslations } from '../../i18n/shared.ts'

export const { t } = await loadPageTranslations(() => import('./translations.de.ts'))
