/** Starts the console in the browser. */
import './session/link-token.ts'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { Tooltip } from '@base-ui/react/tooltip'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Problem } from './api/problem.ts'
import { Toasts } from './kit/Overlay.tsx'
import { router } from './routes.tsx'
import { applyTheme } from './session/preferences.ts'
import { Prompts } from './session/Prompts.tsx'
import { refreshSession } from './session/session.ts'
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

applyTheme()
void refreshSession().catch(() => {})

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <Tooltip.Provider delay={400}>
          <RouterProvider router={router} />
          <Prompts />
          <Toasts />
        </Tooltip.Provider>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
