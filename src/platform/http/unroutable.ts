/** Responses to requests that no route takes: the methods of a path, and similar paths. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Failure } from '../errors/errors.ts'
import { BASE_PATH } from './operation.ts'

/** @returns the methods that a path has. */
export type MethodsOf = (path: string) => string[]

/** Part by part: a pattern for each route would search a long path again and again. */
const fits = (parts: readonly string[], route: readonly string[]): boolean =>
  parts.length === route.length &&
  route.every((each, at) => (each.startsWith(':') ? parts[at] !== '' : parts[at] === each))

/** Remembers the routes that are registered from now on. */
export function collectRoutes(app: FastifyInstance): MethodsOf {
  const routes: { parts: string[]; methods: string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ parts: url.split('/'), methods: [method].flat() })
  })
  return (path) => {
    const parts = path.split('/')
    const fitting = routes.filter((route) => fits(parts, route.parts))
    return [...new Set(fitting.flatMap(({ methods }) => methods))]
  }
}

/** The methods of a path as `Allow` names them (RFC 9110 section 10.2.1). */
const allowOf = (methods: readonly string[]): string[] => [...methods, 'OPTIONS']

/**
 * The usual mistakes are named: a slash at the end, an address without the base path, and one that
 * is only the beginning of it.
 */
function detailOf(path: string, methodsOf: MethodsOf): string | undefined {
  if (path.endsWith('/') && methodsOf(path.slice(0, -1)).length > 0) {
    return 'There is no such route. A route exists without the slash at the end.'
  }
  if (!path.startsWith(BASE_PATH) && methodsOf(BASE_PATH + path).length > 0) {
    return `There is no such route. A route exists that begins with ${BASE_PATH}.`
  }
  if (!`${BASE_PATH}/`.startsWith(path)) return undefined
  return `There is no such route; the reference of the API is at ${BASE_PATH}/reference.`
}

export function unroutable(path: string, methodsOf: MethodsOf): Failure {
  const methods = methodsOf(path)
  if (methods.length > 0) {
    const detail = `The route takes ${methods.join(', ')} only.`
    return new Failure('method_not_allowed', { allow: allowOf(methods), detail })
  }
  const detail = detailOf(path, methodsOf)
  return new Failure('not_found', detail === undefined ? {} : { detail })
}

/** A path that ends with a slash fits a route that ends with a parameter, which then is empty. */
export const isLost = ({ is404, params }: Pick<FastifyRequest, 'is404' | 'params'>): boolean =>
  is404 || Object.values(params as object).includes('')

/** @returns what OPTIONS is answered with, and the failure of all other requests */
export function respondUnroutable(
  method: string,
  path: string,
  methodsOf: MethodsOf,
): string[] | Failure {
  const methods = method === 'OPTIONS' ? methodsOf(path) : []
  return methods.length > 0 ? allowOf(methods) : unroutable(path, methodsOf)
}
