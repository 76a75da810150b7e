/** Calls operations with their own examples. */
import type { AccessKind } from '../../src/platform/access/principal.ts'
import { routeOf } from '../../src/platform/http/operation.ts'
import type { IdPrefix } from '../../src/platform/lib/ids.ts'
import type { operations } from '../../src/operations.ts'
import type { CallResult, Headers, TestApp } from './app.ts'
import { idOf, type Tenant } from './tenants.ts'

type AnyOperation = (typeof operations)[number]
type Json = Record<string, unknown>

/** The example of a body, with ids that are there. */
function bodyOf({ body, example }: AnyOperation, own: Tenant): Json {
  const { properties = {} } = (body ?? {}) as { properties?: Record<string, Json> }
  const whole = { ...(example as Json) }
  for (const name of Object.keys(whole)) {
    const prefix = /^\^(?:\(\?:)?([a-z]+)_\[0-7\]/.exec(String(properties[name]?.pattern))?.[1]
    if (prefix !== undefined) whole[name] = idOf(own, prefix as IdPrefix)
  }
  return whole
}

/** Calls an operation on the tenant's own things, as the first kind of caller that it takes. */
export function callByExample(
  app: TestApp,
  operation: AnyOperation,
  own: Tenant,
  body: object = bodyOf(operation, own),
  more: Headers = {},
): Promise<CallResult> {
  const path = routeOf(operation).replaceAll(/:([a-z_]+)/g, (_whole, name: string) =>
    idOf(own, operation.params[name]?.prefix),
  )
  const { access, rows, method } = operation
  const kind = access === 'public' ? undefined : (access[0] as AccessKind)
  const credential = kind === undefined ? {} : (own.callers[kind][0] as Headers)
  const json = JSON.stringify(body)
  const type = rows === undefined ? 'application/json' : 'application/x-ndjson'
  return app.call(method, path, {
    as: credential,
    headers: { ...(method !== 'GET' && { 'content-type': type }), ...more },
    ...(method !== 'GET' && { body: json }),
  })
}
