/** One operation with several inputs, such as of each workspace of a person. */
import { useQueries, type UseQueryResult } from '@tanstack/react-query'
import { call, type Input, type OperationId, type Result } from './client.ts'
import type { Problem } from './problem.ts'
import { turnsOf } from './turns.ts'

const MAX_CONCURRENT = 4
const inTurn = turnsOf(MAX_CONCURRENT)

/**
 * A resource that the person may not see, or that is gone: there is no response, and no failure.
 */
const isClosed = ({ error }: Pick<UseQueryResult<unknown, Problem>, 'error'>): boolean =>
  error !== null && [403, 404].includes(error.status)

/**
 * Reads with an operation, a few inputs at a time; each result is that of `useRead`, too.
 * @returns `each`: by input, undefined until it is read and where it is refused; `data`: the same
 *   once all are known; `error`: the first that is no refusal
 */
export function useReadEach<Id extends OperationId>(
  id: Id,
  inputs: readonly Omit<Input<Id>, 'signal'>[],
) {
  const queries: readonly UseQueryResult<Result<Id>, Problem>[] = useQueries({
    queries: inputs.map((input) => ({
      queryKey: [id, input],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        inTurn(() => call(id, { ...input, signal })),
    })),
  })
  const each = queries.map(({ data }) => data)
  const isKnown = queries.every((query) => query.data !== undefined || isClosed(query))
  const failed = queries.find((query) => query.error !== null && !isClosed(query))
  return { each, data: isKnown ? each : undefined, error: failed?.error ?? null }
}
