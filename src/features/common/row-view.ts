/** Views of rows: the schema of a view selects the members of a row that the API shows. */
import type { Static, TNull, TObject, TProperties, TSchema, TUnion } from 'typebox'
import { formatId } from '../../platform/lib/ids.ts'
import { prefixOfId, type TTimestamp, timestamp } from './shapes.ts'

/** The type of the column that a member of a view shows. */
type StoredAs<Schema> = Schema extends TTimestamp
  ? number
  : Schema extends TUnion<[infer Inner extends TSchema, TNull]>
    ? StoredAs<Inner> | null
    : Schema extends TSchema
      ? Static<Schema>
      : never

/** Members that show the column of the same name. */
type Shown<Members extends TProperties, Row> = {
  [Name in keyof Members & keyof Row]: Row[Name] extends StoredAs<Members[Name]> ? Name : never
}[keyof Members & keyof Row]

type Computed<Members extends TProperties, Row, More extends unknown[]> = {
  [Name in Exclude<keyof Members, Shown<Members, Row>>]: Compute<Members, Name, Row, More>
} & { [Name in Shown<Members, Row>]?: Compute<Members, Name, Row, More> }

type Compute<
  Members extends TProperties,
  Name extends keyof Members,
  Row,
  More extends unknown[],
> = (row: Row, ...more: More) => Static<TObject<Members>>[Name & keyof Static<TObject<Members>>]

/** One argument, which may be left out if every member shows a column. */
type Rest<Members> = Partial<Members> extends Members ? [rest?: Members] : [rest: Members]

/** How a column is shown: UUIDs as ids, milliseconds as RFC 3339, anything else as it is. */
function conversionOf(schema: TSchema): ((value: never) => unknown) | undefined {
  const { anyOf, format, pattern } = schema as {
    anyOf?: TSchema[]
    format?: string
    pattern?: string
  }
  if (anyOf?.[0]) return conversionOf(anyOf[0])
  if (format === 'date-time') return timestamp
  const prefix = prefixOfId(pattern)
  return prefix && ((uuid: string) => formatId(prefix, uuid))
}

/**
 * Creates the function that makes views of rows. A member shows the column of its name, unless
 * `computed` has a function for it; one without such a column needs a function.
 */
export const rowView =
  <Row extends object, More extends unknown[] = []>() =>
  <Members extends TProperties>(
    { properties }: TObject<Members>,
    ...rest: Rest<Computed<Members, Row, More>>
  ): ((row: Row, ...more: More) => Static<TObject<Members>>) => {
    const functions = (rest[0] ?? {}) as Record<string, (row: Row, ...more: More) => unknown>
    const members = Object.entries(properties).map(([name, schema]) => ({
      name,
      compute: functions[name],
      convert: conversionOf(schema),
    }))
    return (row, ...more) => {
      const view: Record<string, unknown> = {}
      for (const { name, compute, convert } of members) {
        if (compute !== undefined) view[name] = compute(row, ...more)
        else {
          const value = row[name as keyof Row]
          view[name] = convert === undefined || value === null ? value : convert(value as never)
        }
      }
      return view as Static<TObject<Members>>
    }
  }
