/** The units of settings, which are plain numbers in the environment. */
import { inWords } from '../../kit/times.ts'
import { bytesText } from '../usage/meter-labels.ts'
import { t } from './translations.ts'

/** By the end of a name. */
const units: readonly [end: string, unit: string, inOthers?: (value: number) => string][] = [
  ['_BYTES', t('bytes'), bytesText],
  ['_MS', 'ms', inWords],
  ['_S', 's', (seconds) => inWords(seconds * 1000)],
  ['_DAYS', 'd'],
  ['_BP', t('basis points')],
]

/** Units by the words in the description of a limit. */
const rates: readonly [said: RegExp, unit: string][] = [
  [/\b(in|of) a second\b/, t('per second')],
  [/\bin an hour\b/, t('per hour')],
  [/\ba minute\b/, t('per minute')],
]

const LARGE = 1000

/** @returns what stands after a value; empty for what is no number */
export function unitText(name: string, about: string, value: string): string {
  if (!/^\d+(,\d+)*$/.test(value)) return ''
  const [, unit, inOthers] = units.find(([end]) => name.endsWith(end)) ?? []
  if (unit === undefined) return rates.find(([said]) => said.test(about))?.[1] ?? ''
  const number = Number(value)
  return inOthers !== undefined && number >= LARGE ? `${unit} (${inOthers(number)})` : unit
}
