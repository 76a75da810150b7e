/**
 * React hooks over the client: a read is cached by operation and input, a change refreshes reads.
 */
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { FALLBACK_MS, useLiveStatus } from '../live/status.ts'
import { onCalls, presentCalls } from './call-log.ts'
import {
  type CallResult,
  call,
  type Input,
  type OperationId,
  request,
  type Result,
} from './client.ts'
import type { Problem } from './problem.ts'
import { useReason } from './reasons.ts'

export const useCalls = () => useSyncExternalStore(onCalls, presentCalls)

interface ReadOptions {
  enabled?: boolean
  /** The live stream notifies when to read again; while it is down, that is every few seconds. */
  isLive?: boolean
  /**
   * Milliseconds between reads while the page is visible, for changes that the stream does not
   * report.
   */
  refetchInterval?: number | false
  /** Milliseconds for which what was read is not read again. */
  staleTime?: number
}

interface WholeOptions extends ReadOptions {
  /** Shows the response to the previous input until there is another. */
  keepsPrevious?: boolean
}

function useOptions({ isLive = false, ...options }: ReadOptions) {
  const { isUp } = useLiveStatus()
  return isLive && !isUp ? { ...options, refetchInterval: FALLBACK_MS } : options
}

type Waited = Pick<UseQueryResult<unknown, Problem>, 'data' | 'error' | 'failureReason'>

/**
 * A resource that is not there yet has the reason of the last try as its error until it is: also
 * while the service asks to wait, and while it is read again.
 */
function useWithReason<Query extends Waited>(queryKey: unknown[], query: Query): Query {
  const reason = useReason(queryKey)
  const { data, error, failureReason } = query
  if (data !== undefined || error !== null) return query
  const last = failureReason?.isPassing === true ? failureReason : reason
  return last === undefined ? query : { ...query, error: last, isError: true, isPending: false }
}

/** Reads with an operation. */
export function useRead<Id extends OperationId>(
  id: Id,
  input: Omit<Input<Id>, 'signal'> = {},
  { keepsPrevious, ...options }: WholeOptions = {},
): UseQueryResult<Result<Id>, Problem> {
  const queryKey = [id, input]
  const query = useQuery<Result<Id>, Problem>({
    queryKey,
    queryFn: ({ signal }) => call(id, { ...input, signal }),
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    ...useOptions(options),
  })
  return useWithReason(queryKey, query)
}

/** Reads a resource with the ETag that a change of it must name. */
export function useResource<Id extends OperationId>(
  id: Id,
  input: Omit<Input<Id>, 'signal'>,
  options: ReadOptions = {},
): UseQueryResult<CallResult<Id>, Problem> {
  const queryKey = [id, input, 'etag']
  const query = useQuery<CallResult<Id>, Problem>({
    queryKey,
    queryFn: ({ signal }) => request(id, { ...input, signal }),
    ...useOptions(options),
  })
  return useWithReason(queryKey, query)
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
  type Page = Result<Id> & PageOf<ItemOf<Id>>
  const queryKey = [id, input, 'list']
  const query = useInfiniteQuery<Page, Problem, InfiniteData<Page>, unknown[], string | undefined>({
    queryKey,
    queryFn: ({ signal, pageParam }) =>
      call(id, {
        ...input,
        query: { ...input.query, ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      }) as Promise<Page>,
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    ...useOptions(options),
  })
  const { isRefetching } = query
  return {
    ...useWithReason(queryKey, query),
    items: query.data?.pages.flatMap(({ items }) => items),
    fetchNextPage: async () => {
      await query.fetchNextPage()
      // The next page has ended the read in flight, and the state that it would have shown.
      if (isRefetching) await query.refetch()
    },
  }
}

/**
 * Refusals after which what was read is out of date: it was so before, and with that each other try
 * would be refused as well; or the service has noted what it found.
 */
const outdating: ReadonlySet<string> = new Set(['precondition_failed', 'domain_not_verified'])

function useMutating<Id extends OperationId, Value>(
  mutationFn: (input: Input<Id>) => Promise<Value>,
  refreshes: readonly OperationId[],
) {
  const client = useQueryClient()
  const refresh = () =>
    Promise.all(refreshes.map((each) => client.invalidateQueries({ queryKey: [each] })))
  return useMutation<Value, Problem, Input<Id>>({
    mutationFn,
    onSuccess: refresh,
    onError: ({ code }) => (outdating.has(code) ? refresh() : undefined),
  })
}

/**
 * Changes something with an operation.
 * @param refreshes the reads that are out of date afterwards
 */
export const useChange = <Id extends OperationId>(id: Id, refreshes: readonly OperationId[] = []) =>
  useMutating((input: Input<Id>) => call(id, input), refreshes)

/** The same; its value is the id of the receipt that the response names, if it does. */
export const useRevocation = <Id extends OperationId>(
  id: Id,
  refreshes: readonly OperationId[] = [],
) => useMutating(async (input: Input<Id>) => (await request(id, input)).receipt, refreshes)
