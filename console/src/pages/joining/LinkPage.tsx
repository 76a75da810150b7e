/** Pages that one-time links lead to, and what they show without a token. */
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { LinkButton } from '../../kit/Button.tsx'
import { Note } from '../../kit/Note.tsx'
import { CardPage } from '../../kit/CardPage.tsx'
import { useLinkToken } from '../../session/link-token.ts'
import { t } from './translations.ts'

interface LinkPageProps {
  title: string
  /** The page for people without the token. */
  missing: ReactNode
  /** Whether its contents lead to the sign-in now. */
  isDone?: boolean
  children: (token: string) => ReactNode
}

export const toSignIn = <Link to="/sign-in">{t('Sign in')}</Link>

/** The token is taken out of the address, so it is missing after a reload, too. */
export const Incomplete = ({ children }: { children: ReactNode }) => (
  <Note tone="warn" title={t('This page has lost its link')}>
    {children}
  </Note>
)

/** Where a new link is asked for. */
export const Renewable = ({ to }: Pick<LinkProps, 'to'>) => (
  <>
    <Incomplete>
      {t('Go back to the e-mail and open the link from there, or request a new one.')}
    </Incomplete>
    <LinkButton to={to} kind="primary" wide>
      {t('Request a new link')}
    </LinkButton>
  </>
)

export function LinkPage({ title, missing, isDone, children }: LinkPageProps) {
  const token = useLinkToken()
  return (
    <CardPage title={title} footer={isDone === true ? undefined : toSignIn}>
      {token === undefined ? missing : children(token)}
    </CardPage>
  )
}
