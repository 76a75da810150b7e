/** How a person ends their session here. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { OperationId } from '../api/client.ts'
import { dropSession } from './session.ts'

/** The part that is the same for everybody. The page that comes next may be reading it. */
const ofNobody: readonly OperationId[] = ['lookAtInvitation']

/** Forgets the session with all that was read in it. */
export function clearSession(client: QueryClient): void {
  dropSession()
  client.getMutationCache().clear()
  client.removeQueries({
    predicate: ({ queryKey: [id] }) => !ofNobody.includes(id as OperationId),
  })
}

/** Goes to a public page, and deletes the session with all that was read in it. */
export function useLeaving(): (to: string) => Promise<void> {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (to) => {
    // Left first: the next person who signs in here is not led to the page of this one.
    await navigate({ to })
    clearSession(client)
  }
}
