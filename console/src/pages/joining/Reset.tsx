/** Chooses a new password by the link from the mail. */
import { useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Form } from '../../kit/Field.tsx'
import { Note } from '../../kit/Note.tsx'
import { dropSession } from '../../session/session.ts'
import { NewPasswordField } from '../account/NewPasswordField.tsx'
import { LinkPage, Renewable } from './LinkPage.tsx'
import { t } from './translations.ts'

function Choose({ token, onDone }: { token: string; onDone: () => void }) {
  const [password, setPassword] = useState('')
  const reset = useChange('confirmPasswordReset')
  if (reset.isSuccess) {
    return (
      <>
        <Note tone="ok" title={t('Your password is changed.')}>
          {t(
            'All sessions of your account have ended. If it has an authenticator, sign in with that too.',
          )}
        </Note>
        <LinkButton to="/sign-in" kind="primary" wide>
          {t('Sign in')}
        </LinkButton>
      </>
    )
  }
  const done = (): void => {
    dropSession()
    onDone()
  }
  const submit = (): void => reset.mutate({ body: { token, password } }, { onSuccess: done })
  return (
    <Form onSubmit={submit} problem={reset.error}>
      <NewPasswordField isFirst value={password} onValue={setPassword} />
      <Button type="submit" kind="primary" wide busy={reset.isPending}>
        {t('Change password')}
      </Button>
    </Form>
  )
}

export default function Reset() {
  const [isDone, setDone] = useState(false)
  return (
    <LinkPage
      title={t('Choose a new password')}
      missing={<Renewable to="/forgot" />}
      isDone={isDone}
    >
      {(token) => <Choose token={token} onDone={() => setDone(true)} />}
    </LinkPage>
  )
}
