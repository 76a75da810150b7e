/** How far a command is, in the same words wherever commands are shown. */
import type { Command } from '../../../../sdk/schema.ts'
import type { BadgeTone } from '../../kit/Badge.tsx'
import { t } from './translations.ts'

export const commandLabels: Readonly<
  Record<Command['status'], readonly [words: string, tone: BadgeTone]>
> = {
  pending: [t('not fetched yet'), 'info'],
  sent: [t('sent, not answered yet'), 'info'],
  acknowledged: [t('done'), 'ok'],
  failed: [t('failed'), 'bad'],
  timed_out: [t('not answered in time'), 'warn'],
  cancelled: [t('cancelled'), 'off'],
}

/** Seconds that a command waits for its response by default. */
export const DEFAULT_TIMEOUT_S = '60'
