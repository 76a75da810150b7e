/**
 * The layers over all pages of people who are signed in: passing messages, and the dialogs that a
 * call may open, to sign in again and to prove who is there.
 */
import { KeyRound } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Result } from '../api/client.ts'
import { useChange, useRead } from '../api/hooks.ts'
import { Button } from '../kit/Button.tsx'
import { SubmitActions } from '../kit/DialogActions.tsx'
import { Form, PasswordField, TextField } from '../kit/Field.tsx'
import { Stack } from '../kit/Layout.tsx'
import { ProblemNote } from '../kit/Note.tsx'
import { Dialog, Hints, Toasts } from '../kit/Overlay.tsx'
import { SignInForms } from '../pages/sign-in/SignIn.tsx'
import { Cache } from './Cached.tsx'
import { usePasskeyBlock, usePasskeyProof } from './passkeys.ts'
import { proofPrompt, signInPrompt } from './prompts.ts'
import { acceptSession, dropSession } from './session.ts'
import { t } from '../i18n/frame.ts'

/** A dialog that a call waits for: whether it is open, and how it ends. */
function usePrompt(register: (ask: (needsFactor: boolean) => Promise<boolean>) => () => void) {
  const [isOpen, setOpen] = useState(false)
  const [needsFactor, setNeedsFactor] = useState(false)
  const resolve = useRef<(isDone: boolean) => void>(() => {})
  useEffect(
    () =>
      register(
        (isNeeded) =>
          new Promise((settle) => {
            resolve.current = settle
            setNeedsFactor(isNeeded)
            setOpen(true)
          }),
      ),
    [register],
  )
  const finish = useCallback((isDone: boolean) => {
    setOpen(false)
    resolve.current(isDone)
  }, [])
  return { isOpen, needsFactor, finish }
}

function SignInAgain() {
  const { isOpen, finish } = usePrompt(signInPrompt.handleWith)
  const { data: me } = useRead('getMe', {}, { enabled: false })
  const give = (): void => {
    finish(false)
    dropSession()
  }
  return (
    <Dialog title={t('Your session has ended')} open={isOpen} onClose={give}>
      <p>{t('Sign in again to continue. What you typed is kept.')}</p>
      <SignInForms onDone={() => finish(true)} {...(me && { email: me.email })} />
    </Dialog>
  )
}

interface ProofProps {
  /** Whether a password is not enough. */
  needsFactor: boolean
  onDone: (isDone: boolean) => void
}

function Proof({ needsFactor, onDone }: ProofProps) {
  const { data: me } = useRead('getMe')
  const accept = (token: Result<'reauthenticate'>): void => {
    acceptSession(token)
    onDone(true)
  }
  const hasCode = me?.mfa_enabled === true
  const takesText = hasCode || !needsFactor
  const hasPasskey = me !== undefined && me.passkeys > 0
  return (
    <Stack>
      {hasPasskey && <PasskeyProof isOnly={!takesText} onProved={accept} />}
      {takesText ? (
        <TypedProof hasCode={hasCode} onProved={accept} onCancel={() => onDone(false)} />
      ) : (
        <Button wide onClick={() => onDone(false)}>
          {t('Cancel')}
        </Button>
      )}
    </Stack>
  )
}

type OnProved = (token: Result<'reauthenticate'>) => void

interface PasskeyProofProps {
  /** Whether there is no other proof. */
  isOnly: boolean
  onProved: OnProved
}

function PasskeyProof({ isOnly, onProved }: PasskeyProofProps) {
  const blocked = usePasskeyBlock()
  const prove = usePasskeyProof()
  return (
    <Stack>
      <Button
        wide
        kind={isOnly ? 'primary' : 'plain'}
        icon={<KeyRound size={15} />}
        blocked={blocked}
        busy={prove.isPending}
        onClick={() => prove.mutate(undefined, { onSuccess: onProved })}
      >
        {t('Use a passkey')}
      </Button>
      {prove.error !== null && <ProblemNote problem={prove.error} />}
    </Stack>
  )
}

interface TypedProofProps {
  /** Whether the account has an authenticator: its password proves nothing then. */
  hasCode: boolean
  onProved: OnProved
  onCancel: () => void
}

function TypedProof({ hasCode, onProved, onCancel }: TypedProofProps) {
  const [secret, setSecret] = useState('')
  const prove = useChange('reauthenticate')
  const submit = (): void => {
    const body = hasCode ? { code: secret.trim() } : { password: secret }
    prove.mutate({ body }, { onSuccess: onProved })
  }
  return (
    <Form onSubmit={submit} problem={prove.error}>
      {hasCode ? (
        <TextField
          label={t('Code')}
          hint={t('The six digits that the authenticator shows, or a recovery code.')}
          pointer="/code"
          autoComplete="one-time-code"
          value={secret}
          onValue={setSecret}
        />
      ) : (
        <PasswordField
          label={t('Password')}
          pointer="/password"
          autoComplete="current-password"
          value={secret}
          onValue={setSecret}
        />
      )}
      <SubmitActions act={t('Continue')} busy={prove.isPending} onCancel={onCancel} />
    </Form>
  )
}

function ProveAgain() {
  const { isOpen, needsFactor, finish } = usePrompt(proofPrompt.handleWith)
  return (
    <Dialog title={t('Is it you?')} open={isOpen} onClose={() => finish(false)}>
      <p>
        {needsFactor
          ? t('Your account has a second factor. Confirm it with that one in this session.')
          : t('You last confirmed it more than ten minutes ago. Please confirm it again.')}
      </p>
      <Proof needsFactor={needsFactor} onDone={finish} />
    </Dialog>
  )
}

export default function Prompts() {
  return (
    <Cache>
      <Hints>
        <SignInAgain />
        <ProveAgain />
        <Toasts />
      </Hints>
    </Cache>
  )
}
