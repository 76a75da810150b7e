/** Signing in: password, then a second factor where the account has one. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Result } from '../../api/client.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { Button } from '../../kit/Button.tsx'
import { Checkbox, Form, PasswordField, TextField } from '../../kit/Field.tsx'
import { CardPage } from '../../kit/Shell.tsx'
import { acceptSession } from '../../session/session.ts'

/** What stands between the password and the session, where the account has a second factor. */
interface Challenge {
  mfa_token: string
}

interface FormProps {
  /** After the session is open. */
  onDone: () => void
  /** The address, where the page knows it. */
  email?: string
}

/** The forms of signing in, for the page and for the dialog over a page whose session has ended. */
export function SignInForms({ onDone, email }: FormProps) {
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const [isStaying, setStaying] = useState(false)
  const finish = (result: Result<'openConsoleSession'>): void => {
    const { mfa_token, access_token, expires_in, password_change_required } = result
    if (access_token === undefined) return setChallenge({ mfa_token: mfa_token ?? '' })
    acceptSession({ access_token, expires_in, password_change_required })
    onDone()
  }
  if (challenge !== null) {
    const back = (): void => setChallenge(null)
    return <SecondFactor {...{ challenge, isStaying, onDone }} onBack={back} />
  }
  return (
    <Password email={email ?? ''} isStaying={isStaying} onStaying={setStaying} onResult={finish} />
  )
}

interface PasswordProps {
  email: string
  isStaying: boolean
  onStaying: (isStaying: boolean) => void
  onResult: (result: Result<'openConsoleSession'>) => void
}

function Password({ email: known, isStaying, onStaying, onResult }: PasswordProps) {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const signIn = useChange('openConsoleSession')
  const needsCode = code !== '' || signIn.error?.code === 'too_many_attempts'
  const submit = (): void => {
    const body = { email, password, stay: isStaying, ...(code !== '' && { code }) }
    signIn.mutate({ body }, { onSuccess: onResult })
  }
  return (
    <Form onSubmit={submit} problem={signIn.error}>
      <TextField
        label="E-mail"
        type="email"
        autoComplete="username"
        pointer="/email"
        value={email}
        onValue={setEmail}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is all that the page is for
        autoFocus={known === ''}
        required
      />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        pointer="/password"
        value={password}
        onValue={setPassword}
        required
      />
      {needsCode && (
        <TextField
          label="Code"
          hint="Many attempts were made for this account. Enter the code that was sent by e-mail, one of the authenticator, or a recovery code."
          pointer="/code"
          autoComplete="one-time-code"
          value={code}
          onValue={setCode}
        />
      )}
      <Checkbox label="Stay signed in on this device" checked={isStaying} onValue={onStaying} />
      <Button type="submit" kind="primary" wide busy={signIn.isPending}>
        Sign in
      </Button>
    </Form>
  )
}

interface SecondFactorProps {
  challenge: Challenge
  isStaying: boolean
  onDone: () => void
  onBack: () => void
}

function SecondFactor({ challenge, isStaying, onDone, onBack }: SecondFactorProps) {
  const [code, setCode] = useState('')
  const verify = useChange('verifyConsoleMfa')
  const submit = (): void => {
    const body = { mfa_token: challenge.mfa_token, code: code.trim(), stay: isStaying }
    verify.mutate(
      { body },
      {
        onSuccess: (session) => {
          acceptSession(session)
          onDone()
        },
      },
    )
  }
  return (
    <Form onSubmit={submit} problem={verify.error}>
      <TextField
        label="Code"
        hint="The six digits that the authenticator shows, or a recovery code."
        pointer="/code"
        inputMode="numeric"
        autoComplete="one-time-code"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is the next step of what was begun
        autoFocus
        value={code}
        onValue={setCode}
      />
      <Button type="submit" kind="primary" wide busy={verify.isPending}>
        Continue
      </Button>
      <Button kind="quiet" wide onClick={onBack}>
        Back
      </Button>
    </Form>
  )
}

export default function SignIn() {
  const { next } = useSearch({ strict: false }) as { next?: string }
  const navigate = useNavigate()
  const { data: config } = useRead('getConsoleConfig')
  const done = (): void => {
    // Only a path of this console: a link must not lead elsewhere after signing in.
    const isPath = next?.startsWith('/') === true && !next.startsWith('//')
    void navigate({ to: isPath ? next : '/workspaces' })
  }
  return (
    <CardPage
      title="Sign in to Mooring"
      footer={
        <>
          <Link to="/forgot">Forgot your password?</Link>
          {config?.registration === 'open' && <Link to="/sign-up">Create an account</Link>}
          <a href="/api/v1/reference">API reference</a>
        </>
      }
    >
      <SignInForms onDone={done} />
    </CardPage>
  )
}
