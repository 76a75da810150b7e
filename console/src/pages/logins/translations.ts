/** The words of MQTT logins; translations.de.ts has the German ones. */
import { loadPageTranslations } from '../../i18n/shared.ts'

export const { t } = await loadPageTranslations(() => import('./translations.de.ts'))
