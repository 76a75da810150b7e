/** State of a page that is kept in its address, so that any view can be sent to a colleague. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

type Changes<State> = { [Name in keyof State]?: State[Name] | undefined }

/**
 * The members that the address has, and a function that changes some; undefined removes one. The
 * function stays the same. Somebody may have typed a word where the state has a number.
 */
export function useSearchState<State extends Record<string, string | number>>() {
  const state = useSearch({ strict: false }) as Partial<State>
  const navigate = useNavigate()
  const change = useCallback(
    (changes: Changes<State>): void => {
      // Of the address as it is by then: an earlier change may be under way.
      const search = (present: object): object => {
        const next = Object.entries({ ...present, ...changes })
        return Object.fromEntries(next.filter(([, value]) => value !== undefined && value !== ''))
      }
      void navigate({ to: '.', search, replace: true })
    },
    [navigate],
  )
  return [state, change] as const
}
