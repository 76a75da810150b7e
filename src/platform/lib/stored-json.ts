/**
 * JSON that is stored now and read by later releases: versions of templates, copies of plans,
 * contents of invoices. What an older release stored lacks the members that were added since.
 */
import type { Static, TSchema } from 'typebox'
import { Default } from 'typebox/value'

/**
 * Fills in the `default` of each member that the value lacks, also in objects and arrays within.
 * @param value as parsed from the database; it is changed in place
 */
export const readStored = <Schema extends TSchema>(
  schema: Schema,
  value: unknown,
): Static<Schema> => Default(schema, value) as Static<Schema>

/** The same schema with a default, which the API's own schema does not have. */
export const withDefault = <Schema extends TSchema>(
  schema: Schema,
  value: Static<Schema>,
): Schema => ({ ...schema, default: value })
