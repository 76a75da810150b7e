/**
 * Replaces a password: one that the service or the operator has made, before which nothing else
 * works, or one's own.
 */
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { Button } from '../../kit/Button.tsx'
import { Form, PasswordField } from '../../kit/Field.tsx'
import { Row } from '../../kit/Layout.tsx'
import { Skeleton } from '../../kit/Note.tsx'
import { CardPage } from '../../kit/CardPage.tsx'
import { useLeaving } from '../../session/leaving.ts'
import { pathAfter } from '../../session/path-after.ts'
import { refreshSession } from '../../session/session.ts'
import { useSession } from '../../session/use-session.ts'
import { NewPasswordField } from './NewPasswordField.tsx'
import { rich, t } from './translations.ts'

interface PasswordProps {
  /** Somebody else has set the present one. */
  isGiven: boolean
}

function Replace({ isGiven }: PasswordProps) {
  const { data: me } = useRead('getMe')
  const [old, setOld] = useState('')
  const [chosen, setChosen] = useState('')
  const change = useChange('changePassword', ['getMe', 'listWorkspaces'])
  const { next } = useSearch({ strict: false }) as { next?: string }
  const navigate = useNavigate()
  const submit = (): void => {
    const body = { current_password: old, new_password: chosen }
    const proceed = async (): Promise<void> => {
      // The present access token still says that the password has to be changed.
      await refreshSession()
      await navigate({ to: pathAfter(next) })
    }
    change.mutate({ body }, { onSuccess: () => void proceed() })
  }
  return (
    <Form onSubmit={submit} problem={change.error}>
      <PasswordField
        label={isGiven ? t('Password that you were given') : t('Current password')}
        pointer="/current_password"
        autoComplete="current-password"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is all that the page is for
        autoFocus
        value={old}
        onValue={setOld}
      />
      <NewPasswordField
        pointer="/new_password"
        hasAuthenticator={me?.mfa_enabled}
        value={chosen}
        onValue={setChosen}
      />
      <Button type="submit" kind="primary" wide busy={change.isPending}>
        {isGiven ? t('Change password and continue') : t('Change password')}
      </Button>
    </Form>
  )
}

/** The user whose password it is, and a sign-out for everybody else. */
function SignedInAs() {
  const { data } = useRead('getMe')
  const leave = useLeaving()
  const signOut = async (): Promise<void> => {
    await call('closeConsoleSession').catch(() => null)
    await leave('/sign-in')
  }
  return (
    <Row>
      {data !== undefined && (
        <span>{rich('You are signed in as {email}.', { email: <b>{data.email}</b> })}</span>
      )}
      <Button onClick={() => void signOut()}>{t('Sign out')}</Button>
    </Row>
  )
}

/** The same until it is left: once it is changed, the new one is nobody else's. */
function Card({ mustChange }: { mustChange: boolean }) {
  const [isGiven] = useState(mustChange)
  return (
    <CardPage title={isGiven ? t('Choose a password of your own') : t('Change your password')}>
      {isGiven && <p>{t('Your password was set for you, and others may have seen it.')}</p>}
      <SignedInAs />
      <Replace isGiven={isGiven} />
    </CardPage>
  )
}

export default function NewPassword() {
  const { status, mustChangePassword } = useSession()
  if (status === 'starting') return <Skeleton width="30%" />
  if (status === 'out') return <Navigate to="/sign-in" />
  return <Card mustChange={mustChangePassword} />
}
