/** Signing in: password, then a second factor where the account has one; or a passkey. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Building2, KeyRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../api/act.ts'
import { call, type Input, type Result } from '../../api/client.ts'
import { Button } from '../../kit/Button.tsx'
import { Checkbox, Form, PasswordField, TextField } from '../../kit/Field.tsx'
import { End, Row, Stack } from '../../kit/Layout.tsx'
import { ProblemNote } from '../../kit/Note.tsx'
import { CardPage } from '../../kit/CardPage.tsx'
import { useConfig } from '../../session/config.ts'
import { pathAfter } from '../../session/path-after.ts'
import { useOfferedPasskeys, usePasskeyBlock, usePasskeySignIn } from '../../session/passkeys.ts'
import { acceptSession } from '../../session/session.ts'
import { useSso } from '../../session/sso.ts'
import { t } from '../../i18n/shared.ts'

interface FormProps {
  /** After the session is open. */
  onDone: () => void
  /** The address, where the page knows it. */
  email?: string
  /** Other ways to sign in. */
  providers?: (isStaying: boolean) => ReactNode
}

/** The forms of signing in, for the page and for the dialog over a page whose session has ended. */
export function SignInForms({ onDone, email, providers }: FormProps) {
  /** Between password and second factor. */
  const [challenge, setChallenge] = useState<string | null>(null)
  const [isStaying, setStaying] = useState(false)
  const finish = ({ mfa_token, access_token, ...rest }: Result<'openConsoleSession'>): void => {
    if (mfa_token !== undefined) setChallenge(mfa_token)
    if (access_token === undefined) return
    acceptSession({ access_token, ...rest })
    onDone()
  }
  if (challenge !== null) {
    const back = (): void => setChallenge(null)
    return <SecondFactor {...{ challenge, isStaying, onDone }} onBack={back} />
  }
  return (
    <Stack>
      <Password
        email={email ?? ''}
        isStaying={isStaying}
        onStaying={setStaying}
        onResult={finish}
      />
      <PasskeyButton isStaying={isStaying} onDone={onDone} />
      {providers?.(isStaying)}
    </Stack>
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
  const signIn = useAct((input: Input<'openConsoleSession'>) => call('openConsoleSession', input))
  const needsCode = code !== '' || signIn.error?.code === 'too_many_attempts'
  const submit = (): void => {
    const body = { email, password, stay: isStaying, ...(code !== '' && { code }) }
    signIn.mutate({ body }, { onSuccess: onResult })
  }
  return (
    <Form onSubmit={submit} problem={signIn.error}>
      <TextField
        label={t('E-mail')}
        type="email"
        autoComplete="username webauthn"
        pointer="/email"
        value={email}
        onValue={setEmail}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is all that the page is for
        autoFocus={known === ''}
        required
      />
      <PasswordField
        label={t('Password')}
        autoComplete="current-password"
        pointer="/password"
        value={password}
        onValue={setPassword}
        required
      />
      {needsCode && (
        <TextField
          label={t('Code')}
          hint={t(
            'Many attempts were made for this account. Enter the code that was sent by e-mail, one of the authenticator, or a recovery code.',
          )}
          pointer="/code"
          autoComplete="one-time-code"
          value={code}
          onValue={setCode}
        />
      )}
      <Checkbox
        label={t('Stay signed in on this device')}
        checked={isStaying}
        onValue={onStaying}
      />
      <Button type="submit" kind="primary" wide busy={signIn.isPending}>
        {t('Sign in')}
      </Button>
    </Form>
  )
}

interface PasskeyButtonProps {
  isStaying: boolean
  onDone: () => void
}

/** Where this page can use passkeys: if there is none, the browser says so. */
function PasskeyButton({ isStaying, onDone }: PasskeyButtonProps) {
  const blocked = usePasskeyBlock()
  const signIn = usePasskeySignIn()
  const finish = (session: Result<'openPasskeySession'>): void => {
    acceptSession(session)
    onDone()
  }
  const isOffered = blocked === undefined && !signIn.isPending
  const refusal = useOfferedPasskeys(isOffered, isStaying, finish) ?? signIn.error
  if (blocked !== undefined) return null
  return (
    <Stack>
      <Button
        wide
        icon={<KeyRound size={15} />}
        busy={signIn.isPending}
        onClick={() => signIn.mutate(isStaying, { onSuccess: finish })}
      >
        {t('Sign in with a passkey')}
      </Button>
      {refusal !== null && <ProblemNote problem={refusal} />}
    </Stack>
  )
}

/** The providers that the operator has configured: the browser goes there, and comes back. */
function Providers({ next, isStaying }: { next: string | undefined; isStaying: boolean }) {
  const { data: config } = useConfig()
  const sso = useSso(next)
  const providers = config?.sso ?? []
  if (providers.length === 0) return null
  return (
    <Stack tight>
      {providers.map(({ name, label }) => (
        <Button
          key={name}
          wide
          icon={<Building2 size={15} />}
          busy={sso.isPending && sso.variables?.body?.provider === name}
          onClick={() => sso.go(name, isStaying)}
        >
          {t('Sign in with {label}', { label })}
        </Button>
      ))}
      {sso.error !== null && <ProblemNote problem={sso.error} />}
    </Stack>
  )
}

interface SecondFactorProps {
  challenge: string
  isStaying: boolean
  onDone: () => void
  onBack: () => void
}

export function SecondFactor({ challenge, isStaying, onDone, onBack }: SecondFactorProps) {
  const [code, setCode] = useState('')
  const [isRecovering, setRecovering] = useState(false)
  const verify = useAct((input: Input<'verifyConsoleMfa'>) => call('verifyConsoleMfa', input))
  const finish = (session: Result<'verifyConsoleMfa'>): void => {
    acceptSession(session)
    onDone()
  }
  const submit = (): void => {
    const body = { mfa_token: challenge, code: code.trim(), stay: isStaying }
    verify.mutate({ body }, { onSuccess: finish })
  }
  const swap = (): void => {
    setRecovering(!isRecovering)
    setCode('')
    verify.reset()
  }
  return (
    <Form onSubmit={submit} problem={verify.error}>
      <TextField
        key={String(isRecovering)}
        label={isRecovering ? t('Recovery code') : t('Code')}
        hint={
          isRecovering
            ? t('One of the ten that you were shown with the authenticator. It works once.')
            : t('The six digits that your authenticator shows.')
        }
        pointer="/code"
        inputMode={isRecovering ? 'text' : 'numeric'}
        autoComplete="one-time-code"
        mono
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is the next step of what was begun
        autoFocus
        value={code}
        onValue={setCode}
      />
      <Button type="submit" kind="primary" wide busy={verify.isPending}>
        {t('Continue')}
      </Button>
      <Row>
        <Button kind="quiet" onClick={onBack}>
          {t('Back')}
        </Button>
        <End>
          <Button kind="quiet" onClick={swap}>
            {isRecovering ? t('Use the authenticator') : t('Use a recovery code')}
          </Button>
        </End>
      </Row>
    </Form>
  )
}

export default function SignIn() {
  const { next } = useSearch({ strict: false }) as { next?: string }
  const navigate = useNavigate()
  const { data: config } = useConfig()
  const done = (): void => void navigate({ to: pathAfter(next) })
  return (
    <CardPage
      title={t('Sign in to Mooring')}
      footer={
        <>
          <Link to="/forgot">{t('Forgot your password?')}</Link>
          {config?.registration === 'open' && <Link to="/sign-up">{t('Create account')}</Link>}
          <a href="/api/v1/reference">{t('API reference')}</a>
        </>
      }
    >
      <SignInForms
        onDone={done}
        providers={(isStaying) => <Providers next={next} isStaying={isStaying} />}
      />
    </CardPage>
  )
}
