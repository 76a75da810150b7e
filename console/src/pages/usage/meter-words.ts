/** What is metered, in words. */
import type { Plan } from '../../../../sdk/schema.ts'
import type { Meter } from '../../api/money.ts'
import { numberText } from '../../kit/numbers.ts'

export interface MeterWords {
  meter: Meter
  label: string
  /** Of a plan. */
  limit: keyof Plan['limits']
  text: (value: number) => string
  /** A period's value is its highest, not its sum. */
  isPeak?: true
}

const STEPS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `1.2 MB`, in powers of a thousand. */
export function bytesText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(STEPS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  return `${value.toLocaleString('en', { maximumFractionDigits: 1 })} ${STEPS[step]}`
}

/** Within a sentence. */
export const inSentence = ({ label }: Pick<MeterWords, 'label'>): string =>
  label.startsWith('API') ? label : label.toLowerCase()

export const meters: readonly MeterWords[] = [
  {
    meter: 'connected_devices',
    label: 'Devices connected at once',
    limit: 'connected_devices',
    text: numberText,
    isPeak: true,
  },
  { meter: 'messages', label: 'Messages', limit: 'messages_per_month', text: numberText },
  { meter: 'bytes', label: 'Bytes of messages', limit: 'bytes_per_month', text: bytesText },
  { meter: 'api_calls', label: 'API requests', limit: 'api_calls_per_month', text: numberText },
]
