/** Starts the console in the browser. */
import './session/link-token.ts'
import './session/sso.ts'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { useSession } from './api/hooks.ts'
import { Problem } from './api/problem.ts'
import { router } from './routes.tsx'
import { applyTheme } from './session/preferences.ts'
import { startSession } from './session/session.ts'
import { language } from './words/language.ts'
import './tokens.css'

const MOST_TRIES = 3

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the service has refused it would refuse again.
      retry: (tries, error) =>
        tries < MOST_TRIES && error instanceof Problem && [0, 502, 503].includes(error.status),
    },
  },
})

const Prompts = lazy(() => import('./session/Prompts.tsx'))

/** The pages before the sign-in do without what needs most of the code. */
function WhileSignedIn() {
  const { status } = useSession()
  if (status !== 'in' && status !== 'expired') return null
  return (
    <Suspense>
      <Prompts />
    </Suspense>
  )
}

document.documentElement.lang = language
applyTheme()
startSession()

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <WhileSignedIn />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
