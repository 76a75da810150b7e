/**
 * The request of a form, without the cache that the pages of a session share: the sign-in needs
 * nothing of it, and people wait for each byte there.
 */
import { useEffect, useRef, useState } from 'react'
import { type Problem, problemOf } from './problem.ts'

interface State<Given> {
  isPending: boolean
  error: Problem | null
  /** The input of the last attempt. */
  variables: Given | undefined
}

const idle = { isPending: false, error: null, variables: undefined }

/** As `useChange`, for any work. Only the last attempt counts, while its page is there. */
export function useAct<Value, Given = void>(work: (given: Given) => Promise<Value>) {
  const [state, setState] = useState<State<Given>>(idle)
  const attempts = useRef(0)
  const reset = (): void => {
    attempts.current += 1
    setState(idle)
  }
  useEffect(() => {
    const counted = attempts
    return () => void (counted.current += 1)
  }, [])
  const mutate = (
    variables: Given,
    { onSuccess }: { onSuccess?: (value: Value) => void } = {},
  ): void => {
    attempts.current += 1
    const own = attempts.current
    const end = (error: Problem | null): boolean => {
      if (own !== attempts.current) return false
      setState({ isPending: false, error, variables })
      return true
    }
    setState({ isPending: true, error: null, variables })
    work(variables).then(
      (value) => end(null) && onSuccess?.(value),
      (error: unknown) => end(problemOf(error)),
    )
  }
  return { ...state, mutate, reset }
}
