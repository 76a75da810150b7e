/**
 * Writes files for clients in TypeScript: `sdk/schema.ts`, the types of all operations,
 * `sdk/public-operations.ts`, what the page of a sign-in needs of them, `sdk/filters.ts`, the
 * fields of filters, and `sdk/event-types.ts`. They import nothing else, so that any build for
 * browsers can use them.
 */
import {
  type Permission,
  permissions,
  roleHolds,
  roles,
} from '../src/platform/access/permissions.ts'
import { catalogue, type FailureCode } from '../src/platform/errors/errors.ts'
import {
  type Described,
  failureCodesOf,
  ProblemSchema,
  takesIdempotencyKey,
} from '../src/platform/http/openapi-failures.ts'
import {
  createSchemaComponents,
  type Json,
  type SchemaComponents,
} from '../src/platform/http/openapi-schemas.ts'
import { FILTER_FORMS } from '../src/platform/http/openapi-parameters.ts'
import { bodySchema, needsBody, resultSchema } from '../src/platform/http/openapi.ts'
import { comment, literal, memberName, schemaType } from './schema-types.ts'

/** Names of this file that no component may have. */
const RESERVED = [
  'ErrorCode',
  'None',
  'OperationInfo',
  'Operations',
  'Permission',
  'Role',
  'SharedErrorCode',
]

const union = (values: readonly string[]): string => values.map(literal).join(' | ') || 'never'

const pathOf = ({ path }: Described): string => path.replaceAll(/:([a-z_]+)/g, '{$1}')

/** Codes that every operation may fail with. */
const sharedCodes = (operations: readonly Described[]): FailureCode[] =>
  Object.keys(catalogue).filter((code): code is FailureCode =>
    operations.every((each) => failureCodesOf(each).some((other) => other === code)),
  )

function paramsType({ params }: Described): string {
  const members = Object.entries(params).map(
    ([name, { prefix }]) =>
      `${memberName(name)}: ${prefix === undefined ? 'number | string' : 'string'}`,
  )
  return members.length === 0 ? 'None' : `{ ${members.join('; ')} }`
}

function queryType({ query }: Described, schemas: SchemaComponents): string {
  if (query === undefined || Object.keys((query as Json).properties ?? {}).length === 0) {
    return 'None'
  }
  return schemaType(schemas.use(query) as Json, '    ')
}

function bodyType(operation: Described, schemas: SchemaComponents): string {
  const schema = bodySchema(operation, schemas)
  if (schema === undefined) return 'undefined'
  const type = schemaType(schema as Json, '    ')
  return needsBody(operation) ? type : `${type} | undefined`
}

function responsesType(operation: Described, schemas: SchemaComponents): string {
  const members = Object.entries(operation.returns).map(([status, schema]) => {
    if (schema === null) return `${status}: undefined`
    return `${status}: ${schemaType(resultSchema(operation, schema, schemas) as Json, '    ')}`
  })
  return `{ ${members.join('; ')} }`
}

const isPublic = ({ access }: Described): boolean => access === 'public'

/** The entry of an operation in the constant `operations`; defaults are omitted. */
function infoOf(operation: Described): Record<string, unknown> {
  const { method, base, permission = null, rows, stream, live, document } = operation
  return {
    method,
    path: pathOf(operation),
    base,
    permission,
    ...(isPublic(operation) && { isPublic: true }),
    ...(takesIdempotencyKey(operation) && { idempotencyKey: true }),
    ...(rows && { sends: 'rows' }),
    ...((rows ?? stream) && { returns: 'rows' }),
    ...(live && { live: true }),
    ...(document && { document: document.type }),
  }
}

const listText = (values: readonly unknown[]): string => `[${values.map(literal).join(', ')}]`

/** A field of a filter, on one line. */
const fieldText = (field: Record<string, unknown>): string =>
  `{ ${Object.entries(field)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? listText(value) : literal(value)}`)
    .join(', ')} }`

const infoText = (info: Record<string, unknown>): string =>
  Object.entries(info)
    .map(([name, value]) => `${name}: ${literal(value)}`)
    .join(', ')

const infosText = (operations: readonly Described[]): string =>
  operations.map((each) => `  ${each.id}: { ${infoText(infoOf(each))} },\n`).join('')

function operationType(
  operation: Described,
  schemas: SchemaComponents,
  shared: readonly FailureCode[],
): string {
  const { id, summary, description, live } = operation
  const codes = failureCodesOf(operation).filter((code) => !shared.includes(code))
  const parts = [summary && `${summary}.`, description].filter((each) => each !== undefined)
  const members = {
    ...Object.fromEntries(
      Object.entries(infoOf(operation)).map(([name, value]) => [name, literal(value)]),
    ),
    params: paramsType(operation),
    query: queryType(operation, schemas),
    body: bodyType(operation, schemas),
    responses: responsesType(operation, schemas),
    ...(live && { message: schemaType(schemas.use(live.message) as Json, '    ') }),
    fails: ['SharedErrorCode', ...codes.sort().map(literal)].join(' | '),
    summary: literal(summary ?? null),
  }
  const lines = Object.entries(members).map(([name, type]) => `    ${name}: ${type}\n`)
  const text = parts.length === 0 ? {} : { description: parts.join('\n\n') }
  return `${comment(text, '  ')}  ${id}: {\n${lines.join('')}  }\n`
}

function componentTypes(schemas: SchemaComponents): string {
  const all = Object.entries(schemas.all() as Record<string, Json>)
  const taken = all.map(([name]) => name).filter((name) => RESERVED.includes(name))
  if (taken.length > 0) throw new Error(`sdk/schema.ts has a type ${taken.join()} of its own`)
  return all
    .map(([name, schema]) => `${comment(schema)}export type ${name} = ${schemaType(schema)}\n`)
    .join('\n')
}

function accessText(): string {
  const held = roles.map((role) => {
    const names = (Object.keys(permissions) as Permission[]).filter((each) => roleHolds(role, each))
    return `  ${role}: [${names.map(literal).join(', ')}],\n`
  })
  return `export type Permission = ${union(Object.keys(permissions))}

/** The permissions of the members of a workspace, by role. */
export const roles = {
${held.join('')}} as const satisfies { readonly [role: string]: readonly Permission[] }

export type Role = keyof typeof roles
`
}

const infoType = `/** The data that a client needs to call an operation. */
export interface OperationInfo {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below \`base\`, with \`{name}\` parameters. */
  path: string
  base: string
  /** Required in the workspace of the path. */
  permission: Permission | null
  /** It takes no credential. */
  isPublic?: true
  /** Whether a retry with the same \`Idempotency-Key\` takes effect once. */
  idempotencyKey?: true
  /** The request has one JSON object per line. */
  sends?: 'rows'
  /** The response has one JSON object per line. */
  returns?: 'rows'
  /** The response is also offered as server-sent events. */
  live?: true
  /** Media type of a document that is offered instead of JSON. */
  document?: string
}
`

interface FilteredQuery {
  properties?: { filter?: { [FILTER_FORMS]?: unknown } }
}

interface ListedFields {
  /** The id of the operation. */
  id: string
  /** As lines of an array. */
  fields: string
}

const oneList = ({ id, fields }: ListedFields): string =>
  `export const ${id}Fields = [\n${fields}] as const satisfies readonly FilterField[]\n\n`

/** The file `sdk/filters.ts`. */
export function sdkFilters(operations: readonly Described[]): string {
  const lists = operations.flatMap(({ id, query }) => {
    const forms = ((query ?? {}) as FilteredQuery).properties?.filter?.[FILTER_FORMS]
    if (!Array.isArray(forms)) return []
    return [{ id, fields: forms.map((form) => `  ${fieldText(form)},\n`).join('') }]
  })
  return `/** Generated by \`npm run generate\` from the list of operations: do not edit. */

/** A field of a filter, so that an editor can offer what may come next. */
export interface FilterField {
  /** \`tags.<key>\` and the like describe many fields, whose names match \`pattern\`. */
  name: string
  pattern?: string
  /** \`scalar\`: a number, a boolean or a text; \`set\`: several texts, of which one is asked for. */
  type: 'text' | 'time' | 'word' | 'boolean' | 'id' | 'set' | 'scalar'
  operators: readonly ('=' | '!=' | '<' | '<=' | '>' | '>=' | ':')[]
  /** All values, if they are few. */
  values?: readonly string[]
  /** The prefix of ids. */
  id_prefix?: string
  /** Where a value may have a \`*\`: \`begin*\`, \`*end\`, or alone after \`:\`, for any value. */
  wildcards?: readonly ('prefix' | 'suffix' | 'any')[]
}

${lists.map(oneList).join('')}/** The fields of the \`filter\` of each list. A page takes those of its own list, without the others. */
export const filters = {
${lists.map(({ id }) => `  ${id}: ${id}Fields,\n`).join('')}} as const
`
}

/** The file `sdk/event-types.ts`. */
export const sdkEventTypes = (types: readonly string[]): string =>
  `/** Generated by \`npm run generate\` from the list of events: do not edit. */

/** All types of events, as the feed and webhooks name them. */
export const eventTypes = [
${types.map((type) => `  '${type}',\n`).join('')}] as const
`

/** The file `sdk/public-operations.ts`. */
export const sdkPublicOperations = (operations: readonly Described[]): string =>
  `/** Generated by \`npm run generate\` from the list of operations: do not edit. */

/** The operations that take no credential, in a file that a page before the sign-in can load. */
export const publicOperations = {
${infosText(operations.filter(isPublic))}} as const
`

/** @throws Error if a schema has no TypeScript type, or a name of a type is taken */
export function sdkSchema(operations: readonly Described[]): string {
  const schemas = createSchemaComponents()
  schemas.use(ProblemSchema)
  const shared = sharedCodes(operations)
  const types = operations.map((each) => operationType(each, schemas, shared))
  const closed = operations.filter((each) => !isPublic(each))
  return `/** Generated by \`npm run generate\` from the list of operations: do not edit. */
import { publicOperations } from './public-operations.ts'

/** No members. */
export type None = { [name: string]: never }

/** Codes that any request may fail with. */
export type SharedErrorCode = ${union(shared)}

/** All codes of failures. Their meaning never changes. */
export type ErrorCode = ${union(Object.keys(catalogue).sort())}

${accessText()}
${componentTypes(schemas)}
/** The operations of the API by name, as types. */
export interface Operations {
${types.join('')}}

${infoType}
export const operations = {
  ...publicOperations,
${infosText(closed)}} as const satisfies { readonly [Id in keyof Operations]: OperationInfo }
`
}
