/** Starts the console in the browser. */
import './session/link-token.ts'
import './session/sso.ts'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { router } from './routes.tsx'
import { applyTheme } from './session/preferences.ts'
import { startSession } from './session/session.ts'
import { useSession } from './session/use-session.ts'
import { language } from './i18n/language.ts'
import './tokens.css'

const Prompts = lazy(async () => ({ default: (await import('./session/frame.ts')).Prompts }))

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
      <RouterProvider router={router} />
      <WhileSignedIn />
    </CSPProvider>
  </StrictMode>,
)
