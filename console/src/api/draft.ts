/**
 * The draft of a form: it follows the resource until the person types. From then on it keeps what
 * was typed and the revision that it is based on, so that a save cannot overwrite others unseen.
 */
import { useState } from 'react'

interface Held<Value> {
  value: Value
  base: Value
  etag: string | undefined
}

export interface Draft<Value> {
  value: Value
  /** The former value of `value`. */
  base: Value
  /** The present value of the service. */
  present: Value
  /** The entity tag of `base`. */
  etag: string | undefined
  isChanged: boolean
  change: (changes: Partial<Value>) => void
  /** Follows the resource again: after a save, or to discard what was typed. */
  drop: () => void
  /** Keeps what was typed, as a change of what the service has now. */
  rebase: () => void
}

/** @param present a new object for each read is fine: it is compared by its members */
export function useDraft<Value extends object>(
  present: Value,
  etag: string | undefined,
): Draft<Value> {
  const [held, setHeld] = useState<Held<Value> | null>(null)
  const now = held ?? { value: present, base: present, etag }
  return {
    ...now,
    present,
    isChanged: JSON.stringify(now.value) !== JSON.stringify(now.base),
    change: (changes) => setHeld({ ...now, value: { ...now.value, ...changes } }),
    drop: () => setHeld(null),
    rebase: () => setHeld({ value: now.value, base: present, etag }),
  }
}
