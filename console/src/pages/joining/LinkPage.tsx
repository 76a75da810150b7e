/** Pages that one-time links lead to, and what they show without a token. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Note } from '../../kit/Note.tsx'
import { CardPage } from '../../kit/CardPage.tsx'
import { useLinkToken } from '../../session/link-token.ts'
import { t } from './words.ts'

interface LinkPageProps {
  title: string
  /** Where the link is, for somebody who came without it. */
  source: string
  children: (token: string) => ReactNode
}

export const toSignIn = <Link to="/sign-in">{t('Sign in')}</Link>

export function LinkPage({ title, source, children }: LinkPageProps) {
  const token = useLinkToken()
  return (
    <CardPage title={title} footer={toSignIn}>
      {token === undefined ? (
        <Note tone="warn" title={t('The link is not complete.')}>
          {t(
            'Open {source} again. The secret at its end is missing: pages take it out of the address, so it is gone after a reload.',
            { source },
          )}
        </Note>
      ) : (
        children(token)
      )}
    </CardPage>
  )
}
