/**
 * Where an identity provider sends people back to: it opens the session, or says what is missing.
 */
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { Result } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { LinkButton } from '../../kit/Button.tsx'
import { CardPage } from '../../kit/CardPage.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { Loading, Note, ProblemNote } from '../../kit/Note.tsx'
import { useConfig } from '../../session/config.ts'
import { pathAfter } from '../../session/path-after.ts'
import { acceptSession } from '../../session/session.ts'
import { afterSso, ssoResponse } from '../../session/sso.ts'
import { SecondFactor, SignInForms } from '../sign-in/SignIn.tsx'
import { t } from './translations.ts'

type Finished = Result<'finishSso'>

const Again = () => <Link to="/sign-in">{t('Sign in')}</Link>

function Proof({ found, label, onDone }: { found: Finished; label: string; onDone: () => void }) {
  const link = useChange('linkIdentity')
  const token = found.link_token ?? ''
  return (
    <Stack>
      <Note
        title={
          found.email === undefined
            ? t('There is an account for this address')
            : t('There is an account for {email}', { email: found.email })
        }
      >
        {t(
          'Sign in to it this once, the way that you are used to. From then on {label} signs you in.',
          { label },
        )}
      </Note>
      {link.error !== null && <ProblemNote problem={link.error} />}
      <SignInForms
        email={found.email ?? ''}
        onDone={() => link.mutate({ body: { token } }, { onSuccess: onDone })}
      />
    </Stack>
  )
}

interface ContentProps {
  found: Finished | undefined
  label: string
  onDone: () => void
}

function Content({ found, label, onDone }: ContentProps) {
  if (found?.mfa_token !== undefined) {
    const isStaying = found.stay === true
    const leave = (): void => window.location.assign('/console/sign-in')
    return <SecondFactor challenge={found.mfa_token} {...{ isStaying, onDone }} onBack={leave} />
  }
  if (found?.link_token !== undefined) return <Proof {...{ found, label, onDone }} />
  return <Loading />
}

export default function SsoReturn() {
  const { provider = '' } = useParams({ strict: false }) as { provider?: string }
  const { data: config } = useConfig()
  const navigate = useNavigate()
  const finish = useChange('finishSso')
  const [found, setFound] = useState<Finished>()
  const isBegun = useRef(false)
  const done = (): void => void navigate({ to: pathAfter(afterSso()), replace: true })
  const { mutate } = finish
  useEffect(() => {
    if (isBegun.current || ssoResponse?.provider !== provider) return
    isBegun.current = true
    const onSuccess = ({ access_token, ...rest }: Finished): void => {
      if (access_token === undefined) return setFound(rest)
      acceptSession({ access_token, ...rest })
      void navigate({ to: pathAfter(afterSso()), replace: true })
    }
    mutate({ body: ssoResponse }, { onSuccess })
  }, [mutate, navigate, provider])
  const label = config?.sso.find(({ name }) => name === provider)?.label ?? provider
  if (ssoResponse?.provider !== provider) {
    return (
      <CardPage title={t('Single sign-on')}>
        <Note tone="warn" title={t('Sign-in was not started here.')}>
          {t('Start again from the sign-in page.')}
        </Note>
        <LinkButton to="/sign-in" kind="primary" wide>
          {t('Go to sign-in')}
        </LinkButton>
      </CardPage>
    )
  }
  return (
    <CardPage title={t('Signing in with {label}', { label })} footer={<Again />} isOnce>
      {finish.error === null ? (
        <Content {...{ found, label }} onDone={done} />
      ) : (
        <ProblemNote problem={finish.error} />
      )}
    </CardPage>
  )
}
