/** How a person ends their session here. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { dropSession } from './session.ts'

/** Goes to a page for everybody, and forgets the session with all that was read in it. */
export function useLeaving(): (to: string) => Promise<void> {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (to) => {
    // Left first: the next person who signs in here is not led to the page of this one.
    await navigate({ to })
    dropSession()
    client.clear()
  }
}
