/** The OpenAPI document, from which requests are built, and to which responses are held. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { CallerKind } from '../../src/platform/access/principal.ts'

export type Json = Record<string, unknown>
export type Schema = Json

export interface Parameter {
  name: string
  schema: Schema
  isRequired: boolean
}

export interface Promised {
  /** Codes of the problems; undefined for a success. */
  codes: ReadonlySet<string> | undefined
  /** Whether a body has the documented shape, by media type; text is anything. */
  shapes: Readonly<Record<string, () => ValidateFunction | undefined>>
}

export interface Target {
  id: string
  method: string
  /** `/workspaces/{id}/devices`, below the base path. */
  path: string
  bucket: string
  /** Empty: needs no credential. */
  kinds: readonly CallerKind[]
  inPath: readonly Parameter[]
  inQuery: readonly Parameter[]
  /** Media types with the schema of the body, or of a row. */
  bodies: readonly { type: string; schema: Schema; example: unknown }[]
  promised: ReadonlyMap<number, Promised>
}

export interface Document {
  targets: readonly Target[]
  /** Follows a reference. */
  resolve(schema: Schema): Schema
}

interface RawResponse {
  content?: Record<string, { schema: Schema }>
  $ref?: string
}
interface RawOperation {
  operationId: string
  'x-rate-limit': string
  security: Record<string, unknown>[]
  parameters?: (Json & { name: string; in: string; schema: Schema; required?: boolean })[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, RawResponse>
}
interface RawDocument {
  paths: Record<string, Record<string, RawOperation>>
  components: Record<string, Record<string, Json>>
}

const kindOf: Readonly<Record<string, CallerKind>> = {
  Bearer: 'user',
  ApiKeyAuth: 'platform-key',
  ApiKeyBearer: 'platform-key',
  ServiceAuthCode: 'provision-key',
  DeviceHttpToken: 'device',
  MoidJwt: 'moid',
}

const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1')

const atOf = (document: RawDocument, reference: string): Json =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (found, step) => (found as Json)[step.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    ) as Json

function codesOf(schema: Schema): Set<string> {
  const parts = (schema.allOf ?? []) as { properties?: { code?: { enum?: string[] } } }[]
  return new Set(parts.flatMap(({ properties }) => properties?.code?.enum ?? []))
}

export function readDocument(document: RawDocument): Document {
  const ajv = formats.default(new Ajv2020({ strict: false }))
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  // Compiled when it is needed first: there are thousands.
  const shapeAt = (place: string) => (): ValidateFunction => {
    const known = compiled.get(place) ?? ajv.compile({ $ref: `openapi#${place}` })
    compiled.set(place, known)
    return known
  }

  function promisedAt(place: string, response: RawResponse): Promised {
    const { $ref } = response
    const at = $ref === undefined ? place : $ref.slice(1)
    const { content = {} }: RawResponse = $ref === undefined ? response : atOf(document, $ref)
    const problem = content['application/problem+json']
    return {
      codes: problem && codesOf(problem.schema),
      shapes: Object.fromEntries(
        Object.entries(content).map(([type, { schema }]) => [
          type,
          schema.type === 'string'
            ? () => undefined
            : shapeAt(`${at}/content/${escaped(type)}/schema`),
        ]),
      ),
    }
  }

  function targetOf(path: string, method: string, operation: RawOperation): Target {
    const { operationId: id, security, parameters = [], requestBody, responses } = operation
    const inside = (where: string): Parameter[] =>
      parameters
        .filter((each) => each.in === where)
        .map(({ name, schema, required = false }) => ({ name, schema, isRequired: required }))
    const place = `/paths/${escaped(path)}/${method}/responses`
    return {
      id,
      method: method.toUpperCase(),
      path,
      bucket: operation['x-rate-limit'],
      kinds: [...new Set(security.flatMap(Object.keys).map((name) => kindOf[name] as CallerKind))],
      inPath: inside('path'),
      inQuery: inside('query'),
      bodies: Object.entries(requestBody?.content ?? {}).map(([type, { schema, example }]) => ({
        type,
        schema,
        example,
      })),
      promised: new Map(
        Object.entries(responses).map(([status, response]) => [
          Number(status),
          promisedAt(`${place}/${status}`, response),
        ]),
      ),
    }
  }

  const resolve = (schema: Schema): Schema =>
    typeof schema.$ref === 'string' ? resolve(atOf(document, schema.$ref)) : schema

  const targets = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => targetOf(path, method, operation)),
  )
  return { targets, resolve }
}
