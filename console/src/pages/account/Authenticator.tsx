/** The second factor: an authenticator, and recovery codes for the day when it is lost. */
import { useQueryClient } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import type { Account } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useButtonCall, useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, FormActions, TextField } from '../../kit/Field.tsx'
import { Panel, Row, Stack } from '../../kit/Layout.tsx'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { Dialog, say } from '../../kit/Overlay.tsx'
import { refreshSession } from '../../session/session.ts'
import { Enrol } from './Enrol.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { counted, t } from './translations.ts'

interface CodeDialogProps {
  title: string
  text: string
  act: string
  kind: 'primary' | 'danger'
  change: Pick<ReturnType<typeof useChange<'removeTotp'>>, 'isPending' | 'error'>
  onCode: (code: string) => void
  onClose: () => void
}

/** Asks for a code of the authenticator before it is changed. */
function CodeDialog({ title, text, act, kind, change, onCode, onClose }: CodeDialogProps) {
  const [code, setCode] = useState('')
  return (
    <Dialog title={title} open onClose={onClose}>
      <p>{text}</p>
      <Form onSubmit={() => onCode(code.trim())} problem={change.error}>
        <TextField
          label={t('Code')}
          hint={t('The six digits that the authenticator shows, or a recovery code.')}
          pointer="/code"
          autoComplete="one-time-code"
          mono
          value={code}
          onValue={setCode}
        />
        <SubmitActions act={act} kind={kind} busy={change.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

function Remove({ onClose }: { onClose: () => void }) {
  const remove = useChange('removeTotp', ['getMe', 'listSessions'])
  useNextCall('removeTotp', { body: { code: '' } })
  const done = (): void => {
    say(t('The authenticator is removed'), t('Your other sessions have ended.'))
    void refreshSession()
    onClose()
  }
  return (
    <CodeDialog
      title={t('Remove the authenticator?')}
      text={t(
        'From then on your password alone signs in. Its recovery codes stop, your other sessions end, and workspaces that require a second factor are closed to you until you enrol another one.',
      )}
      act={t('Remove')}
      kind="danger"
      change={remove}
      // Not by a callback of the change: this dialog is gone as soon as the account is read again.
      onCode={(code) => void remove.mutateAsync({ body: { code } }).then(done, () => null)}
      onClose={onClose}
    />
  )
}

function Renew({ email, onClose }: { email: string; onClose: () => void }) {
  const renew = useChange('renewRecoveryCodes', ['getMe', 'listSessions'])
  useNextCall('renewRecoveryCodes', { body: { code: '' } })
  if (renew.data !== undefined) {
    return <RecoveryCodes codes={renew.data.recovery_codes} email={email} onClose={onClose} />
  }
  return (
    <CodeDialog
      title={t('Renew the recovery codes?')}
      text={t('You get ten new ones. The current ones stop working, and your other sessions end.')}
      act={t('Renew')}
      kind="primary"
      change={renew}
      onCode={(code) => renew.mutate({ body: { code } })}
      onClose={onClose}
    />
  )
}

function Enrolled({ me }: { me: Account }) {
  const [open, setOpen] = useState<'remove' | 'renew' | null>(null)
  const left = me.recovery_codes_left ?? 0
  const close = (): void => setOpen(null)
  return (
    <Stack>
      {left <= 3 && (
        <Note
          tone="warn"
          title={counted(left, '{n} recovery code is left.', '{n} recovery codes are left.')}
        >
          {t('Renew them before the last one is used.')}
        </Note>
      )}
      <p>
        {t(
          'Signing in asks for the code that your authenticator shows. {left} of 10 recovery codes are unused; each works once, if the authenticator is not at hand.',
          { left },
        )}
      </p>
      <FormActions>
        <Button onClick={() => setOpen('renew')}>{t('Renew recovery codes…')}</Button>
        <Button kind="danger" onClick={() => setOpen('remove')}>
          {t('Remove…')}
        </Button>
      </FormActions>
      {open === 'remove' && <Remove onClose={close} />}
      {open === 'renew' && <Renew email={me.email} onClose={close} />}
    </Stack>
  )
}

interface NotEnrolledProps {
  email: string
  /** Whether the recovery codes are shown: it is enrolled then, and the dialog says so. */
  isShown: boolean
  onShown: (codes: string[]) => void
}

function NotEnrolled({ email, isShown, onShown }: NotEnrolledProps) {
  const begin = useChange('beginTotp')
  const preview = useButtonCall('beginTotp', {})
  return (
    <Stack>
      <p>
        {t(
          'An app on your phone shows a code that changes every 30 seconds. With it, a password that somebody else has learned is not enough to sign in as you.',
        )}
      </p>
      {begin.error !== null && <ProblemNote problem={begin.error} />}
      <FormActions>
        <Button
          kind="primary"
          icon={<ShieldCheck size={15} />}
          busy={begin.isPending}
          onClick={() => begin.mutate({})}
          {...preview}
        >
          {t('Set up an authenticator')}
        </Button>
      </FormActions>
      {begin.data !== undefined && !isShown && (
        <Enrol
          enrolment={begin.data}
          email={email}
          onEnrolled={onShown}
          onClose={() => begin.reset()}
        />
      )}
    </Stack>
  )
}

export function Authenticator({ me }: { me: Account }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const client = useQueryClient()
  const isOn = me.mfa_enabled
  const close = (): void => {
    setCodes(null)
    for (const id of ['getMe', 'listSessions']) void client.invalidateQueries({ queryKey: [id] })
  }
  return (
    <Panel
      title={
        <Row>
          {t('Authenticator')}
          <Badge tone={isOn ? 'ok' : 'off'}>{isOn ? t('on') : t('off')}</Badge>
        </Row>
      }
    >
      {isOn ? (
        <Enrolled me={me} />
      ) : (
        <NotEnrolled email={me.email} isShown={codes !== null} onShown={setCodes} />
      )}
      {codes !== null && <RecoveryCodes codes={codes} email={me.email} onClose={close} />}
    </Panel>
  )
}
