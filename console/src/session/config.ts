/** The public facts of the service about itself. A document reads it once. */
import { useEffect, useSyncExternalStore } from 'react'
import { call, type Result } from '../api/client.ts'
import { type Problem, problemOf } from '../api/problem.ts'

/** Between attempts, while a page waits for it. */
const AGAIN_MS = 3_000

interface Read {
  data: Result<'getConsoleConfig'> | undefined
  error: Problem | null
  refetch: () => unknown
}

let present: Read = { data: undefined, error: null, refetch: read }
let isReading = false
const listeners = new Set<() => void>()

function become(next: Omit<Read, 'refetch'>): void {
  present = { ...next, refetch: read }
  for (const listener of listeners) listener()
}

async function read(): Promise<void> {
  if (isReading || present.data !== undefined) return
  isReading = true
  try {
    become({ data: await call('getConsoleConfig'), error: null })
  } catch (error) {
    become({ data: undefined, error: problemOf(error) })
    if (listeners.size > 0) setTimeout(() => void read(), AGAIN_MS)
  } finally {
    isReading = false
  }
}

function onConfig(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useConfig(): Read {
  useEffect(() => void read(), [])
  return useSyncExternalStore(onConfig, () => present)
}
