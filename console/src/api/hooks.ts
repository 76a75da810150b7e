/** React hooks over the client: a read is cached by operation and input, a change refreshes reads. */
import {
  type InfiniteData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { onSession, presentSession, type Session } from '../session/session.ts'
import { onCalls, presentCalls } from './call-log.ts'
import {
  type Answered,
  call,
  type Input,
  type OperationId,
  request,
  type Result,
} from './client.ts'
import type { Problem } from './problem.ts'

export const useSession = (): Session => useSyncExternalStore(onSession, presentSession)
export const useCalls = () => useSyncExternalStore(onCalls, presentCalls)

interface ReadOptions {
  enabled?: boolean
  /** Milliseconds between reads while the page is visible. */
  refetchInterval?: number | false
}

/** Reads with an operation. */
export function useRead<Id extends OperationId>(
  id: Id,
  input: Omit<Input<Id>, 'signal'> = {},
  options: ReadOptions = {},
): UseQueryResult<Result<Id>, Problem> {
  return useQuery<Result<Id>, Problem>({
    queryKey: [id, input],
    queryFn: ({ signal }) => call(id, { ...input, signal }),
    ...options,
  })
}

/** Reads a resource with the ETag that a change of it must name. */
export function useResource<Id extends OperationId>(
  id: Id,
  input: Omit<Input<Id>, 'signal'>,
  options: ReadOptions = {},
): UseQueryResult<Answered<Id>, Problem> {
  return useQuery<Answered<Id>, Problem>({
    queryKey: [id, input, 'etag'],
    queryFn: ({ signal }) => request(id, { ...input, signal }),
    ...options,
  })
}

interface PageOf<Item> {
  items: Item[]
  next_cursor: string | null
}
type ItemOf<Id extends OperationId> = Result<Id> extends PageOf<infer Item> ? Item : never

/** Reads a list page by page. */
export function useList<Id extends OperationId>(
  id: Id,
  input: Omit<Input<Id>, 'signal'>,
  options: ReadOptions = {},
) {
  type Page = PageOf<ItemOf<Id>>
  const query = useInfiniteQuery<Page, Problem, InfiniteData<Page>, unknown[], string | undefined>({
    queryKey: [id, input, 'list'],
    queryFn: ({ signal, pageParam }) =>
      call(id, {
        ...input,
        query: { ...input.query, ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      }) as Promise<Page>,
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    ...options,
  })
  return { ...query, items: query.data?.pages.flatMap(({ items }) => items) }
}

/**
 * Changes something with an operation.
 * @param refreshes the reads that are out of date afterwards
 */
export function useChange<Id extends OperationId>(id: Id, refreshes: readonly OperationId[] = []) {
  const client = useQueryClient()
  return useMutation<Result<Id>, Problem, Input<Id>>({
    mutationFn: (input) => call(id, input),
    onSuccess: () =>
      Promise.all(refreshes.map((each) => client.invalidateQueries({ queryKey: [each] }))),
  })
}
