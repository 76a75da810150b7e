/** Schemas that many slices share. */
import Type, { type TProperties, type TSchema, type TString } from 'typebox'
import { type IdPrefix, idPattern, sentIdPattern } from '../../platform/lib/ids.ts'
import { timeOf } from '../../platform/lib/time.ts'

const prefixes = new Map<string | undefined, IdPrefix>()

/** The prefix of ids of a pattern; undefined if it is not one of an `Id`. */
export const prefixOfId = (pattern: string | undefined) => prefixes.get(pattern)

export function Id(prefix: IdPrefix, description?: string) {
  const pattern = idPattern(prefix)
  prefixes.set(pattern, prefix)
  return Type.String({ pattern, ...(description && { description }) })
}

/** An id in a request of firmware, which may also be the bare UUID. */
export const SentId = (prefix: IdPrefix, description: string) =>
  Type.String({
    pattern: sentIdPattern(prefix),
    description: `${description} A bare UUID is accepted as well.`,
  })

export const Text = (description: string) => Type.String({ description })
export const Integer = (description: string) => Type.Integer({ description })
export const Flag = (description: string) => Type.Boolean({ description })

/** An object that the API document names. */
export const NamedObject = <P extends TProperties>(title: string, properties: P) =>
  Type.Object(properties, { title })

export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([description === undefined ? schema : { ...schema, description }, Type.Null()])

/** In the type, so that no other text is expected of a column that is a time. */
export interface TTimestamp extends TString {
  format: 'date-time'
}

export const Time = (description: string) =>
  Type.String({ format: 'date-time', description }) as TTimestamp

export const Timestamp = Time('RFC 3339, UTC, with milliseconds.')

/** A time that a caller sends; `timeOf` reads it. */
export const TimeInput = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 64, description })

let lastTime = { ms: 0, text: new Date(0).toISOString() }

/** Formats milliseconds since the epoch, as the database returns them, as RFC 3339. */
export function timestamp(ms: number): string {
  // A row's times are often the same, and those of a batch.
  if (ms !== lastTime.ms) lastTime = { ms, text: new Date(ms).toISOString() }
  return lastTime.text
}
export const timestampOrNull = (ms: number | null): string | null =>
  ms === null ? null : timestamp(ms)

/** A `TimeInput` in the form in which we write times, which Postgres reads in any year. */
export const canonicalTime = <T extends null | undefined>(text: string | T): string | T =>
  typeof text === 'string' ? timestamp(timeOf(text)) : text

/** A one-line display name: no control characters, not blank. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 120,
  pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
})

/** The token of a link that people get by mail. */
export const LinkToken = Type.String({ minLength: 1, maxLength: 200 })

/** Too short a password is refused by the rule, which says how long it must be. */
export const NewPassword = Type.String({ minLength: 1, maxLength: 1024 })

/**
 * The query parameter `wait`: how long a request may wait for a result.
 * @param until the rest of its description, such as `for the end of the claim`
 */
export const waitQuery = (until: string) => ({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      description: `Seconds to wait ${until}. Default: no waiting.`,
    }),
  ),
})
