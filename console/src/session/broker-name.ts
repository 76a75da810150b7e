/** What a broker is called: the embedded one has no name of its own. */
import { t } from '../words/frame.ts'

export const EMBEDDED = 'embedded'

export const brokerName = (broker: string): string =>
  broker === EMBEDDED ? t('Embedded broker') : broker
