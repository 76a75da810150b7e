/**
 * A promise and its limit. Both are measured in turns, several times, so that other load on the
 * machine affects both; the result is the ratio of neighbouring measurements, not an absolute
 * figure. What comes second pays for what the first has left behind (a checkpoint, a vacuum), so a
 * ratio is that of two rounds, in which each side begins once.
 */
import type { Fixture } from './environment.ts'

/** Works for about so many seconds. @returns how much of its unit it did in a second. */
export type Side = (seconds: number) => Promise<number>

export interface Comparison {
  name: string
  /** What a second's worth is counted in. */
  unit: string
  /** The limit, in a few words. */
  against: string
  /** The ratio that is promised. */
  aim: number
  ours: Side
  limit: Side
  /** Waits until what our last measurement left behind is no load any more. */
  settle?: () => Promise<void>
}

export interface Bench {
  name: string
  /** Starts and seeds what the comparisons need. */
  prepare(fixture: Fixture): Promise<Comparison[]>
}

export interface Spread {
  median: number
  min: number
  max: number
}

export interface Result {
  name: string
  unit: string
  against: string
  aim: number
  rounds: number
  /** Per second. */
  ours: Spread
  limit: Spread
  /** Of the four measurements of two rounds. */
  ratio: Spread
}

export interface Pace {
  /** Of one measurement. */
  seconds: number
  /** An even number: see above. */
  rounds: number
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number): number => sorted[index] as number
  const middle = (sorted.length - 1) / 2
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    min: at(0),
    max: at(sorted.length - 1),
  }
}

/** The geometric means of the ratios of two rounds. */
function ratiosOf(rates: { ours: readonly number[]; limit: readonly number[] }): number[] {
  const ratios = rates.ours.map((rate, round) => rate / (rates.limit[round] as number))
  const pairs = Array.from({ length: ratios.length / 2 }, (_, pair) =>
    ratios.slice(2 * pair, 2 * pair + 2),
  )
  return pairs.map(([one = 0, other = 0]) => Math.sqrt(one * other))
}

/** Connections, plans and compiled code come into being: the more code, the longer it takes. */
const UNMEASURED_SECONDS = 4

/** Runs both sides in turns; who begins changes from round to round. */
export async function compare(comparison: Comparison, pace: Pace): Promise<Result> {
  const { name, unit, against, aim, ours, limit, settle = async () => {} } = comparison
  const rates = { ours: [] as number[], limit: [] as number[] }
  await limit(UNMEASURED_SECONDS)
  await ours(UNMEASURED_SECONDS)
  await settle()
  for (let round = 0; round < pace.rounds; round += 1) {
    const sides = [
      async () => {
        rates.ours.push(await ours(pace.seconds))
        await settle()
      },
      async () => void rates.limit.push(await limit(pace.seconds)),
    ]
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side()
  }
  return {
    name,
    unit,
    against,
    aim,
    rounds: pace.rounds,
    ours: spreadOf(rates.ours),
    limit: spreadOf(rates.limit),
    ratio: spreadOf(ratiosOf(rates)),
  }
}
