/** How a rotation is divided into waves, as the service does it. */

/** How many devices a wave has, if it is given as a share of all. */
export const sizeOfWave = (total: number, percent: number): number =>
  Math.max(1, Math.ceil((total * percent) / 100))

export interface Plan {
  waves: number
  size: number
  /** Its waves last longer: this is the pauses between them. */
  minutes: number
  /** One device that fails is more of the first wave than may fail. */
  haltsAtOnce: boolean
}

/** As its form holds it: all are numbers as people type them. */
export interface WaveDraft {
  wave: string
  pause: string
  rate: string
}

const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))

/** @returns undefined if what was typed is no plan */
export function planOf(total: number, draft: WaveDraft): Plan | undefined {
  const percent = numberOf(draft.wave)
  const pause = numberOf(draft.pause)
  const rate = numberOf(draft.rate)
  if (!(total > 0 && percent >= 1 && percent <= 100 && pause >= 0 && rate >= 0)) return undefined
  const size = sizeOfWave(total, percent)
  const waves = Math.ceil(total / size)
  return { waves, size, minutes: (waves - 1) * pause, haltsAtOnce: 100 / size > rate }
}
