/**
 * Records which failures the tests of a run have provoked, and on which routes. Tests of many
 * processes append lines to a file; test/run.ts evaluates it when all have passed.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { catalogue, type FailureCode } from '../../src/platform/errors/errors.ts'
import { failureCodesOf } from '../../src/platform/http/openapi-failures.ts'
import { routeOf } from '../../src/platform/http/operation.ts'
import { operations } from '../../src/operations.ts'

/** Names the file, in the environment of the tests. */
export const REACHED_FILE = 'MOORING_TEST_REACHED'

const written = new Set<string>()

/** The part of an id that is another one for each thing. */
const OWN_PART = /(?<=\/[a-z]+_)[0-9A-Za-z]{20,}/g

/** Writes down that a route has answered with a failure; once in each process is enough. */
export function reach(method: string, path: string, code: string): void {
  const file = process.env[REACHED_FILE]
  const line = `${code} ${method} ${path.split('?', 1)[0]?.replaceAll(OWN_PART, '')}\n`
  if (file === undefined || written.has(line)) return
  written.add(line)
  appendFileSync(file, line)
}

const patternOf = (route: string): RegExp =>
  new RegExp(`^${route.replaceAll(/:[a-z_]+/g, '[^/]+')}$`)

const routes = operations.map((operation) => ({
  operation,
  pattern: patternOf(routeOf(operation)),
}))

/** Codes that any request may meet before it has found its operation. */
export const ROUTING_FAILURES: readonly FailureCode[] = ['method_not_allowed', 'not_found']

/**
 * The fault of a response that some test got, against the reference; undefined if there is none.
 */
function undocumented(line: string): string | undefined {
  const [code = '', method = '', path = ''] = line.split(' ')
  if (ROUTING_FAILURES.includes(code as FailureCode)) return undefined
  const operation = routes.find(
    (route) => route.operation.method === method && route.pattern.test(path),
  )?.operation
  if (operation === undefined || failureCodesOf(operation).includes(code as FailureCode)) {
    return undefined
  }
  return `${operation.id} answers with ${code}, which its \`fails\` does not name`
}

/** The faults after a run of all tests: codes that nobody met, and undocumented responses. */
export function complaintsAbout(file: string): string[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const met = new Set(lines.map((line) => line.split(' ', 1)[0]))
  const unmet = Object.keys(catalogue)
    .filter((code) => !met.has(code))
    .map((code) => `no test meets the failure ${code}`)
  return [...unmet, ...new Set(lines.map(undocumented).filter((text) => text !== undefined))]
}
