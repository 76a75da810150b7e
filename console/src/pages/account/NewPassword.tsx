/** Replaces a password that the service or the operator has made; nothing else works before. */
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
import { rich, t } from './words.ts'

function Replace() {
  const [old, setOld] = useState('')
  const [chosen, setChosen] = useState('')
  const change = useChange('changePassword', ['getMe', 'listWorkspaces'])
  const { next } = useSearch({ strict: false }) as { next?: string }
  const navigate = useNavigate()
  const submit = (): void => {
    const body = { current_password: old, new_password: chosen }
    const goOn = async (): Promise<void> => {
      // The present access token still says that the password has to be changed.
      await refreshSession()
      await navigate({ to: pathAfter(next) })
    }
    change.mutate({ body }, { onSuccess: () => void goOn() })
  }
  return (
    <Form onSubmit={submit} problem={change.error}>
      <PasswordField
        label={t('Password that you were given')}
        pointer="/current_password"
        autoComplete="current-password"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is all that the page is for
        autoFocus
        value={old}
        onValue={setOld}
      />
      <NewPasswordField pointer="/new_password" value={chosen} onValue={setChosen} />
      <Button type="submit" kind="primary" wide busy={change.isPending}>
        {t('Change password and continue')}
      </Button>
    </Form>
  )
}

/** Whose password it is, and the way out for everybody else. */
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
      <Button kind="quiet" onClick={() => void signOut()}>
        {t('Sign out')}
      </Button>
    </Row>
  )
}

export default function NewPassword() {
  const { status } = useSession()
  if (status === 'starting') return <Skeleton width="30%" />
  if (status === 'out') return <Navigate to="/sign-in" />
  return (
    <CardPage title={t('Choose a password of your own')}>
      <p>{t('Your password was set for you, and others may have seen it.')}</p>
      <SignedInAs />
      <Replace />
    </CardPage>
  )
}
