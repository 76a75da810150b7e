/** Whether the live stream is up: all pages know that, also those that have none. */
import { useSyncExternalStore } from 'react'

export interface LiveStatus {
  /** Whether changes are heard: nothing has to be asked for again and again. */
  isUp: boolean
  /** By `Date.now`: when the stream, which has failed, is tried again. */
  retryAt: number | undefined
  /** Whether the service was reached: it answers, and only the stream is missing. */
  isReached?: boolean
}

/** Between reads while the stream is down. */
export const FALLBACK_MS = 15_000

export const down: LiveStatus = { isUp: false, retryAt: undefined }

let present = down
const listeners = new Set<() => void>()

export function become(status: LiveStatus): void {
  present = status
  for (const listener of listeners) listener()
}

function onStatus(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(onStatus, () => present)
