/** Starts the document in which a person pays. It has no session, and runs the script of Stripe. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Problem, pauseAfter } from '../api/problem.ts'
import { lastHandover, type Purpose } from '../session/handover.ts'
import { applyTheme } from '../session/preferences.ts'
import '../tokens.css'
import { PayPage } from './PayPage.tsx'
import { language } from '../i18n/language.ts'

document.documentElement.lang = language
applyTheme()

const client = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      retry: (_tries, error) => error instanceof Problem && error.isPassing,
      retryDelay: pauseAfter,
    },
  },
})
const purpose = window.location.pathname.split('/').at(-1) as Purpose

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <PayPage purpose={purpose} handover={lastHandover()} />
    </QueryClientProvider>
  </StrictMode>,
)
