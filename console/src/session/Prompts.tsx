/** The dialogs that a call may open: to sign in again, and to prove who is there. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { useChange, useRead } from '../api/hooks.ts'
import { Button } from '../kit/Button.tsx'
import { Form, FormActions, PasswordField, TextField } from '../kit/Field.tsx'
import { Dialog } from '../kit/Overlay.tsx'
import { SignInForms } from '../pages/sign-in/SignIn.tsx'
import { answerProofsWith, answerSignInsWith } from './prompts.ts'
import { acceptSession, dropSession } from './session.ts'

/** A dialog that a call waits for: whether it is open, and how it ends. */
function usePrompt(register: (ask: () => Promise<boolean>) => () => void) {
  const [isOpen, setOpen] = useState(false)
  const resolve = useRef<(isDone: boolean) => void>(() => {})
  useEffect(
    () =>
      register(
        () =>
          new Promise((settle) => {
            resolve.current = settle
            setOpen(true)
          }),
      ),
    [register],
  )
  const finish = useCallback((isDone: boolean) => {
    setOpen(false)
    resolve.current(isDone)
  }, [])
  return { isOpen, finish }
}

function SignInAgain() {
  const { isOpen, finish } = usePrompt(answerSignInsWith)
  const { data: me } = useRead('getMe', {}, { enabled: false })
  const give = (): void => {
    finish(false)
    dropSession()
  }
  return (
    <Dialog title="Your session has ended" open={isOpen} onClose={give}>
      <p>Sign in again to go on. What you typed is kept.</p>
      <SignInForms onDone={() => finish(true)} {...(me && { email: me.email })} />
    </Dialog>
  )
}

function Proof({ onDone }: { onDone: (isDone: boolean) => void }) {
  const { data: me } = useRead('getMe')
  const [secret, setSecret] = useState('')
  const prove = useChange('reauthenticate')
  const hasFactor = me?.mfa_enabled === true
  const submit = (): void => {
    const body = hasFactor ? { code: secret.trim() } : { password: secret }
    prove.mutate(
      { body },
      {
        onSuccess: (token) => {
          acceptSession(token)
          onDone(true)
        },
      },
    )
  }
  return (
    <Form onSubmit={submit} problem={prove.error}>
      {hasFactor ? (
        <TextField
          label="Code"
          hint="The six digits that the authenticator shows, or a recovery code."
          pointer="/code"
          autoComplete="one-time-code"
          value={secret}
          onValue={setSecret}
        />
      ) : (
        <PasswordField
          label="Password"
          pointer="/password"
          autoComplete="current-password"
          value={secret}
          onValue={setSecret}
        />
      )}
      <FormActions>
        <Button type="submit" kind="primary" busy={prove.isPending}>
          Continue
        </Button>
        <Button onClick={() => onDone(false)}>Cancel</Button>
      </FormActions>
    </Form>
  )
}

function ProveAgain() {
  const { isOpen, finish } = usePrompt(answerProofsWith)
  return (
    <Dialog title="Is it you?" open={isOpen} onClose={() => finish(false)}>
      <p>This act needs a proof from the last ten minutes that you are there.</p>
      <Proof onDone={finish} />
    </Dialog>
  )
}

export const Prompts = () => (
  <>
    <SignInAgain />
    <ProveAgain />
  </>
)
