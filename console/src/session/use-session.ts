/** The session of this browser, for components. */
import { useSyncExternalStore } from 'react'
import { onSession, presentSession, type Session } from './session.ts'

export const useSession = (): Session => useSyncExternalStore(onSession, presentSession)
