/** State of a page that is kept in its address, so that any view can be sent to a colleague. */
import { useNavigate, useSearch } from '@tanstack/react-router'

/** The members that the address has, and a function that changes some; undefined removes one. */
export function useSearchState<State extends Record<string, string>>() {
  const state = useSearch({ strict: false }) as Partial<State>
  const navigate = useNavigate()
  const change = (changes: { [Name in keyof State]?: State[Name] | undefined }): void => {
    const next = Object.entries({ ...state, ...changes }).filter(
      ([, value]) => value !== undefined && value !== '',
    )
    void navigate({ to: '.', search: Object.fromEntries(next), replace: true })
  }
  return [state, change] as const
}
