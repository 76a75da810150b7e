/**
 * JSON that is stored now and read by later releases: versions of templates, copies of plans,
 * contents of invoices. Values that an older release stored lack the members that were added since.
 */
import type { Static, TSchema } from 'typebox'
import { isJsonObject } from './json.ts'

export type StoredSchema = TSchema

/** The schema types that stored JSON uses. */
interface Shape {
  default?: unknown
  properties?: Readonly<Record<string, Shape>>
  items?: Shape
  anyOf?: readonly Shape[]
}

// The library's own function for this would load three hundred modules at every start.
function filled({ default: fallback, properties, items, anyOf }: Shape, given: unknown): unknown {
  let value = given === undefined ? structuredClone(fallback) : given
  for (const shape of anyOf ?? []) value = filled(shape, value)
  if (Array.isArray(value) && items) return value.map((item) => filled(items, item))
  if (!isJsonObject(value)) return value
  for (const [name, shape] of Object.entries(properties ?? {})) {
    const member = filled(shape, value[name])
    if (member !== undefined) value[name] = member
  }
  return value
}

/** Whether a value of this shape can lack something that `readStored` fills in. */
export const hasDefault = ({ default: fallback, properties, items, anyOf = [] }: Shape): boolean =>
  fallback !== undefined ||
  [...Object.values(properties ?? {}), ...(items ? [items] : []), ...anyOf].some(hasDefault)

/**
 * Fills in the `default` of each member that the value lacks, also in objects and arrays within. Of
 * several shapes that a value may have, one at most is an object.
 * @param value as parsed from the database; it is changed in place
 */
export const readStored = <Schema extends TSchema>(
  schema: Schema,
  value: unknown,
): Static<Schema> => filled(schema, value) as Static<Schema>

/** The same schema with a default, which the API's own schema does not have. */
export const withDefault = <Schema extends TSchema>(
  schema: Schema,
  value: Static<Schema>,
): Schema => ({ ...schema, default: value })

export type DefaultsOf<Schemas> = {
  [Name in keyof Schemas]: Schemas[Name] extends TSchema ? Static<Schemas[Name]> : never
}

/** The same for the members of an object. */
export const withDefaults = <Schemas extends Readonly<Record<string, TSchema>>>(
  schemas: Schemas,
  values: DefaultsOf<Schemas>,
): Schemas =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, withDefault(schema, values[name])]),
  ) as Schemas
