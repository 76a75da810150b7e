/** Lengths of time as people type and read them. */

const units: readonly (readonly [name: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
]

/** In the largest unit that gives a whole number: `7 d`, `90 min`. */
export function durationText(seconds: number): string {
  const [name, size] = units.find(([, each]) => seconds % each === 0) ?? ['s', 1]
  return `${seconds / size} ${name}`
}

/** @returns seconds; undefined for what is no length of time */
export function secondsOf(text: string): number | undefined {
  const [, count = '', name = 's'] = /^(\d{1,9})\s*(s|min|h|d)?$/.exec(text.trim()) ?? []
  const size = units.find(([each]) => each === name)?.[1]
  return count === '' || size === undefined ? undefined : Number(count) * size
}
