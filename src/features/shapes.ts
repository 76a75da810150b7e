/** Schemas that many slices share. */
import Type, { type TSchema } from 'typebox'
import { type IdPrefix, idPattern } from '../lib/ids.ts'

export const Id = (prefix: IdPrefix, description?: string) =>
  Type.String({ pattern: idPattern(prefix), ...(description && { description }) })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'RFC 3339, UTC, with milliseconds.',
})

/** Formats milliseconds since the epoch, as the database returns them, as RFC 3339. */
export const timestamp = (ms: number): string => new Date(ms).toISOString()
export const timestampOrNull = (ms: number | null): string | null =>
  ms === null ? null : timestamp(ms)

/** A one-line display name: no control characters, not blank. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 120,
  pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
})
