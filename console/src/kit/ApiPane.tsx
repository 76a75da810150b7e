/** The pane with the calls of a page, and the call that the form which is open is about to make. */
import { lazy, Suspense, useEffect, useId, useSyncExternalStore } from 'react'
import type { OperationId } from '../api/client.ts'

const CallPane = lazy(() => import('./CallPane.tsx'))

interface NextCall {
  owner: string
  id: OperationId
  input: { params?: object; query?: object; body?: unknown }
}

let next: NextCall | undefined
const listeners = new Set<() => void>()

function setNext(call: NextCall | undefined): void {
  next = call
  for (const listener of listeners) listener()
}

const onNext = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows in the pane which call the form that is open is going to make, while one types. */
export function useNextCall(id: OperationId, input: NextCall['input']): void {
  const owner = useId()
  const text = JSON.stringify(input)
  useEffect(
    () => setNext({ owner, id, input: JSON.parse(text) as NextCall['input'] }),
    [id, owner, text],
  )
  useEffect(() => () => setNext(next?.owner === owner ? undefined : next), [owner])
}

export const useComingCall = (): NextCall | undefined => useSyncExternalStore(onNext, () => next)

export const ApiPane = ({ onClose }: { onClose: () => void }) => (
  <Suspense>
    <CallPane onClose={onClose} />
  </Suspense>
)
