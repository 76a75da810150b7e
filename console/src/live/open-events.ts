/** Opens a stream of server-sent events of the API. */
import { readProblem, type Problem } from '../api/problem.ts'
import { accessToken, refreshSession } from '../session/session.ts'

/** After a refusal that time will not mend soon. */
const REFUSED_MS = 30_000

/** The service answers, and refuses: it is asked again after this. */
export class Refused extends Error {
  readonly pauseMs: number
  /** Undefined if only the session had to be refreshed. */
  readonly problem: Problem | undefined
  constructor(pauseMs: number, problem?: Problem) {
    super('refused')
    this.pauseMs = pauseMs
    this.problem = problem
  }
}

/** The service answers, and fails. */
export class Failed extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** @throws Refused; Failed; Error without a response */
export async function openEvents(
  path: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(path, {
    headers: { authorization: `Bearer ${await accessToken()}`, accept: 'text/event-stream' },
    signal,
  })
  const { status, body } = response
  if (status === 401) {
    await refreshSession()
    throw new Refused(0)
  }
  if (status >= 400 && status < 500) {
    const problem = await readProblem(response)
    const seconds = status === 429 ? (problem.retryAfter ?? 10) : undefined
    throw new Refused(seconds === undefined ? REFUSED_MS : seconds * 1_000, problem)
  }
  if (!response.ok || body === null) throw new Failed(await readProblem(response))
  return body
}
