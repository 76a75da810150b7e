/** The rules for every response, whatever was sent. */
import { REFUSED } from './credentials.ts'
import type { ReceivedResponse } from './connection.ts'
import type { Document, Promised, Target } from './document.ts'
import type { Draft } from './requests.ts'

/** The codes of requests that reach no operation. */
const LOST: ReadonlySet<string> = new Set(['not_found', 'method_not_allowed', 'invalid_request'])
/** One in so many responses is checked if their shape was right many times. */
const SAMPLE = 16
const ALWAYS = 100

export type Checked = Pick<Draft, 'target' | 'method' | 'sender' | 'kind' | 'isStray' | 'body'>

interface Problem {
  status?: unknown
  code?: unknown
}

const routeOf = (method: string, { path }: Pick<Target, 'path'>): string =>
  `${method === 'HEAD' ? 'GET' : method} ${path}`

export class Check {
  readonly #routes: ReadonlyMap<string, Target>
  readonly #seen = new Map<string, number>()

  constructor({ targets }: Pick<Document, 'targets'>) {
    this.#routes = new Map(targets.map((target) => [routeOf(target.method, target), target]))
  }

  /** @returns what is wrong with the response; undefined if nothing is */
  of(draft: Checked, response: ReceivedResponse, marker: string): string | undefined {
    const { status } = response
    if (status === 0) return noResponse(draft, response)
    if (status >= 500) return 'a failure of the service'
    const text = response.body.toString()
    if (draft.sender !== 'other workspace' && text.includes(marker)) {
      return 'it shows something of another workspace'
    }
    const isGated = draft.target.kinds.length > 0 && !draft.isStray
    if (isGated && status < 400 && REFUSED.has(draft.sender)) {
      return 'nobody may do this without a good credential'
    }
    const problem = status >= 400 ? problemOf(response, text, draft.method) : undefined
    if (typeof problem === 'string') return problem
    const { method, target } = draft
    const reached = this.#routes.get(routeOf(method, target))
    const promised = reached?.promised.get(status)
    const code = problem?.code as string | undefined
    // A path that was changed may name something else that is not there.
    const isLost = status === 404 || (code !== undefined && LOST.has(code))
    const isUnspecified = reached === undefined && (status >= 400 || status === 204)
    if (draft.isStray && (isLost || isUnspecified)) return undefined
    if (promised === undefined) return 'the status is not documented'
    if (method === 'HEAD') return text === '' ? undefined : 'a response to HEAD has a body'
    if (code !== undefined && promised.codes?.has(code) !== true) {
      return `the code ${code} is not documented`
    }
    return response.isPartial
      ? undefined
      : this.#shape(promised, response, text, `${target.id} ${status}`)
  }

  #shape(
    { shapes }: Promised,
    response: ReceivedResponse,
    text: string,
    name: string,
  ): string | undefined {
    const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
    if (Object.keys(shapes).length === 0) return text === '' ? undefined : 'it has a body'
    const shapeOf = shapes[type]
    if (shapeOf === undefined) return `the media type ${type} is not documented`
    const count = (this.#seen.get(name) ?? 0) + 1
    this.#seen.set(name, count)
    if (count > ALWAYS && count % SAMPLE !== 0) return undefined
    const isRight = shapeOf()
    if (isRight === undefined) return undefined
    const lines = type === 'application/x-ndjson' ? text.split('\n').filter(Boolean) : [text]
    for (const line of lines) {
      if (!isRight(JSON.parse(line))) {
        const [error] = isRight.errors ?? []
        return `its shape is not documented: ${error?.instancePath} ${error?.message}`
      }
    }
    return undefined
  }
}

/** A body that is refused before all of it was sent may cost the connection. */
const isLarge = ({ body, kind }: Checked): boolean =>
  kind === 'bytes' || (body !== undefined && body.length > 1_000_000)

function noResponse(draft: Checked, { isDisconnected }: ReceivedResponse): string | undefined {
  if (isLarge(draft)) return undefined
  return isDisconnected ? 'the response was cut off' : 'there was no response'
}

/** The problem, or what it lacks. */
function problemOf(response: ReceivedResponse, text: string, method: string): Problem | string {
  const type = response.headers.get('content-type') ?? ''
  if (!type.startsWith('application/problem+json')) return `a refusal of the type "${type}"`
  if (method === 'HEAD') return {}
  const problem = JSON.parse(text) as Problem
  if (problem.status !== response.status) return 'the problem has another status'
  return typeof problem.code === 'string' ? problem : 'the problem has no code'
}
