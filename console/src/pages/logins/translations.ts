/** Texts of MQTT logins; translations.de.ts has them in German. */
import { loadPageTranslations } from '../../i18n/shared.ts'

export const { t } = await loadPageTranslations(() => import('./translations.de.ts'))
