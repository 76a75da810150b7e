/** Why reads failed that have no data: known also while they are made again. */
import { hashKey, QueryCache, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { Problem } from './problem.ts'

const reasons = new WeakMap<object, Problem>()

export const createCache = (): QueryCache =>
  new QueryCache({
    onError: (error, query) => {
      if (error instanceof Problem) reasons.set(query, error)
    },
  })

/** Why the last try of a read failed, if it did. */
export function useReason(queryKey: QueryKey): Problem | undefined {
  const query = useQueryClient().getQueryCache().get(hashKey(queryKey))
  return query && reasons.get(query)
}
