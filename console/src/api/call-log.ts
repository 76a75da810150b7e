/** The calls that the present page has made, for its API pane. It keeps no secret. */
import type { OperationId } from './client.ts'

export interface LoggedCall {
  number: number
  id: OperationId
  method: string
  /** With the prefix of the API and the query. */
  path: string
  body: unknown
  /** Undefined until there is a response; 0 if there was none. */
  status: number | undefined
  milliseconds: number | undefined
}

const MAX_CALLS = 50

let calls: readonly LoggedCall[] = []
let last = 0
const listeners = new Set<() => void>()

function replace(next: readonly LoggedCall[]): void {
  calls = next
  for (const listener of listeners) listener()
}

const SECRET = /password|token|secret|code$|^code|key$/i

/** A copy whose secrets are replaced by dots. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string' && SECRET.test(name) ? '…' : withoutSecrets(member),
    ]),
  )
}

/** @returns a function to call with the status of the response */
export function logCall(
  call: Pick<LoggedCall, 'id' | 'method' | 'path' | 'body'>,
): (status: number) => void {
  last += 1
  const number = last
  const since = performance.now()
  const entry = {
    ...call,
    body: withoutSecrets(call.body),
    number,
    status: undefined,
    milliseconds: undefined,
  }
  replace([...calls.slice(1 - MAX_CALLS), entry])
  return (status) => {
    const milliseconds = Math.round(performance.now() - since)
    replace(
      calls.map((each) => (each.number === number ? { ...each, status, milliseconds } : each)),
    )
  }
}

export const clearCalls = (): void => replace([])

export function onCalls(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const presentCalls = (): readonly LoggedCall[] => calls
