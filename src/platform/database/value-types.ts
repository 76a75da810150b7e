/** How the texts of Postgres become values. */
import pg from 'pg'

type TypeId = Parameters<typeof pg.types.getTypeParser>[0]

const { builtins } = pg.types
const parseAnyTimestamp = pg.types.getTypeParser(builtins.TIMESTAMPTZ) as (
  text: string,
) => Date | number

/** `2026-01-31 12:34:56.789+00`, the form of nearly all times, without its fraction. */
const UTC_TIME = /^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/
const digits = (text: string, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at += 1) value = value * 10 + text.charCodeAt(at) - 0x30
  return value
}

/** Milliseconds since the epoch; a list has hundreds of times. */
function parseTimestamp(text: string): number {
  if (!UTC_TIME.test(text)) return Number(parseAnyTimestamp(text))
  const whole = Date.UTC(
    digits(text, 0, 4),
    digits(text, 5, 7) - 1,
    digits(text, 8, 10),
    digits(text, 11, 13),
    digits(text, 14, 16),
    digits(text, 17, 19),
  )
  const fraction = text.slice(20, -3)
  return whole + digits(fraction.padEnd(3, '0'), 0, 3) * (fraction === '' ? 0 : 1)
}

// Timestamps become milliseconds since the epoch, bigints numbers, which all of ours fit into.
const types = new Map<TypeId, (text: string) => unknown>([
  [builtins.INT8, Number],
  [builtins.TIMESTAMPTZ, parseTimestamp],
])

export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: TypeId, format?: 'text' | 'binary') =>
    types.get(oid) ??
    pg.types.getTypeParser(oid, format ?? 'text')) as pg.CustomTypesConfig['getTypeParser'],
}
