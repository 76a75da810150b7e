/** The schemas of an operation's request and response, with the names that clients know them by. */
import type { TSchema } from 'typebox'
import type { Described } from './openapi-failures.ts'
import type { SchemaComponents } from './openapi-schemas.ts'

/** `CreateApiKey` for `createApiKey`: what client generators call the types of an operation. */
const typeName = ({ id }: Described): string => id.charAt(0).toUpperCase() + id.slice(1)

/** The schema of the body, as it is shown; undefined if the operation takes none. */
export function bodySchema(operation: Described, schemas: SchemaComponents): unknown {
  const { body, unknownMembers } = operation
  if (body === undefined) return undefined
  const closed = unknownMembers === 'refuse' ? { additionalProperties: false } : {}
  return schemas.use({ ...closed, ...body }, typeName(operation))
}

/** Whether a request must have a body. */
export function needsBody({ body, rows }: Described): boolean {
  const { required = [] } = (body ?? {}) as { required?: string[] }
  return required.length > 0 || rows !== undefined
}

export const resultSchema = (
  operation: Described,
  schema: TSchema,
  schemas: SchemaComponents,
): unknown => schemas.use(schema, `${typeName(operation)}Result`)
