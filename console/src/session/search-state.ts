/** State of a page that is kept in its address, so that any view can be sent to a colleague. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** The router would put a text that looks like a number in quotation marks. */
const addressed = (value: unknown): unknown => {
  const number = Number(value)
  return Number.isFinite(number) && String(number) === value ? number : value
}

type Changes<State> = { [Name in keyof State]?: State[Name] | undefined }

/**
 * The members that the address has, and a function that changes some; undefined removes one. The
 * function stays the same.
 */
export function useSearchState<State extends Record<string, string>>() {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  // A text that looks like a number, or like other JSON, is read as that.
  const state = useMemo(() => {
    const texts = Object.entries(search).map(([name, value]) => [name, textOf(value)])
    return Object.fromEntries(texts) as Partial<State>
  }, [search])
  const navigate = useNavigate()
  const change = useCallback(
    (changes: Changes<State>): void => {
      // The changed address: an earlier change may be in progress by then.
      const changed = (present: object): object => {
        const next = Object.entries({ ...present, ...changes })
        const kept = next.filter(([, value]) => value !== undefined && value !== '')
        return Object.fromEntries(kept.map(([name, value]) => [name, addressed(value)]))
      }
      void navigate({ to: '.', search: changed, replace: true })
    },
    [navigate],
  )
  return [state, change] as const
}
