/**
 * A promise and its limit. Both are measured in turns, several times, so that other load on the
 * machine affects both; the result is the ratio of neighbouring measurements, not an absolute
 * figure. The second side pays for the work that the first has left (a checkpoint, a vacuum), so a
 * ratio is that of two rounds, in which each side begins once.
 */
import { performance } from 'node:perf_hooks'
import type { Fixture } from './environment.ts'
import type { Meter, Used } from './meter.ts'

/**
 * Works for about so many seconds. @returns how much of its unit it did in a second; and how much
 * in all, if it prepared something first.
 */
export type Side = (seconds: number) => Promise<number | { rate: number; units: number }>

export interface Comparison {
  name: string
  /** The unit of a second's worth. */
  unit: string
  /** The limit, in a few words. */
  against: string
  /** The ratio that is promised. */
  aim: number
  ours: Side
  limit: Side
  /** Whether the unit is counted, so that its cost is known; true by default. */
  isCounted?: boolean
  /** Waits until what our last measurement left behind is no load any more. */
  settle?: () => Promise<void>
}

export interface Bench {
  name: string
  /** The heading of its table. */
  topic: string
  /** Starts and seeds what the comparisons need in so many rounds. */
  prepare(fixture: Fixture, rounds: number): Promise<Comparison[]>
}

export interface Spread {
  median: number
  min: number
  max: number
}

/** The cost of one unit, on average over all rounds. */
export interface Cost {
  /** Processor time in microseconds. */
  serviceUs: number
  postgresUs: number
  generatorUs: number
  /** Write-ahead log in bytes. */
  walBytes: number
}

export interface Result {
  topic: string
  name: string
  unit: string
  against: string
  aim: number
  rounds: number
  /** Per second. */
  ours: Spread
  limit: Spread
  /** The ratio of the four measurements of two rounds. */
  ratio: Spread
  /** The costs, if they are counted. */
  costs?: { ours: Cost; limit: Cost }
  /** The share of all cores that other programs had, at most in one measurement; 0 to 1. */
  others: number
}

export interface Pace {
  /** The length of one measurement. */
  seconds: number
  /** An even number: see above. */
  rounds: number
}

export function spreadOf(values: readonly number[]): Spread {
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

/** One side's measurements. */
class Measured {
  readonly rates: number[] = []
  others = 0
  #units = 0
  readonly #used = { service: 0, postgres: 0, generator: 0, walBytes: 0 }

  /**
   * Measures once; cleaning up after the measurement is a part of its cost, and not of its time.
   */
  async measure(side: Side, seconds: number, settle: () => Promise<void>, meter: Meter) {
    const end = await meter.begin()
    const started = performance.now()
    const result = await side(seconds)
    const elapsed = (performance.now() - started) / 1_000
    const [rate, units] =
      typeof result === 'number' ? [result, result * elapsed] : [result.rate, result.units]
    this.#units += units
    await settle()
    const { others, ...used } = await end()
    this.rates.push(rate)
    this.others = Math.max(this.others, others)
    for (const name of Object.keys(this.#used) as (keyof Omit<Used, 'others'>)[]) {
      this.#used[name] += used[name]
    }
  }

  get cost(): Cost {
    const micros = (seconds: number): number => (seconds * 1e6) / this.#units
    const { service, postgres, generator, walBytes } = this.#used
    return {
      serviceUs: micros(service),
      postgresUs: micros(postgres),
      generatorUs: micros(generator),
      walBytes: walBytes / this.#units,
    }
  }
}

/** Runs both sides in turns; who begins changes from round to round. */
export async function compare(
  topic: string,
  comparison: Comparison,
  pace: Pace,
  meter: Meter,
): Promise<Result> {
  const { name, unit, against, aim, isCounted = true, settle = async () => {} } = comparison
  const [ours, limit] = [new Measured(), new Measured()]
  await comparison.limit(UNMEASURED_SECONDS)
  await comparison.ours(UNMEASURED_SECONDS)
  await settle()
  for (let round = 0; round < pace.rounds; round += 1) {
    const sides = [
      () => ours.measure(comparison.ours, pace.seconds, settle, meter),
      () => limit.measure(comparison.limit, pace.seconds, async () => {}, meter),
    ]
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side()
  }
  return {
    topic,
    name,
    unit,
    against,
    aim,
    rounds: pace.rounds,
    ours: spreadOf(ours.rates),
    limit: spreadOf(limit.rates),
    ratio: spreadOf(ratiosOf({ ours: ours.rates, limit: limit.rates })),
    ...(isCounted && { costs: { ours: ours.cost, limit: limit.cost } }),
    others: Math.max(ours.others, limit.others),
  }
}
