/** The cache of what was read: of all pages but the sign-in. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Problem, pauseAfter } from '../api/problem.ts'
import { createCache } from '../api/reasons.ts'

const MAX_TRIES = 3

function isTriedAgain(tries: number, error: Error): boolean {
  if (!(error instanceof Problem)) return false
  // The service would refuse again what it has refused.
  return error.isPassing || (tries < MAX_TRIES && [0, 502, 503].includes(error.status))
}

const client = new QueryClient({
  queryCache: createCache(),
  defaultOptions: {
    // A service on this machine answers where the browser believes to be offline. And an act that
    // nobody waits for any more must not be done when the network comes back.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 5_000,
      retry: isTriedAgain,
      retryDelay: pauseAfter,
    },
  },
})

export const Cache = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={client}>{children}</QueryClientProvider>
)

export default function Cached() {
  return (
    <Cache>
      <Outlet />
    </Cache>
  )
}
