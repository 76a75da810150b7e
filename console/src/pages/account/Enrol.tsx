/** Enrolling an authenticator: scan, then prove that it shows the right code. */
import { useState } from 'react'
import type { TotpEnrolment } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, TextField } from '../../kit/Field.tsx'
import { Columns, Stack } from '../../kit/Layout.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { Code, Qr } from '../../kit/Text.tsx'
import { refreshSession } from '../../session/session.ts'
import { t } from './translations.ts'

interface EnrolProps {
  enrolment: TotpEnrolment
  email: string
  /** With the recovery codes, which are shown once. */
  onEnrolled: (codes: string[]) => void
  onClose: () => void
}

/** In groups of four, as people read it aloud and type it. */
const inGroups = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ')

export function Enrol({ enrolment, email, onEnrolled, onClose }: EnrolProps) {
  const [code, setCode] = useState('')
  const confirm = useChange('confirmTotp')
  useNextCall('confirmTotp', { body: { code } })
  const submit = (): void =>
    confirm.mutate(
      { body: { code: code.replaceAll(' ', '') } },
      {
        onSuccess: ({ recovery_codes }) => {
          // The next access token says that a second factor was proved in this session.
          void refreshSession()
          onEnrolled(recovery_codes)
        },
      },
    )
  return (
    <Dialog title={t('Set up an authenticator')} open wide onClose={onClose}>
      <Columns>
        <Stack tight>
          <h3>{t('1. Scan this with your authenticator')}</h3>
          <Qr
            text={enrolment.otpauth_uri}
            label={t('QR code of the secret for {email}', { email })}
          />
        </Stack>
        <Stack>
          <Stack tight>
            <h3>{t('or type the secret into it')}</h3>
            <Code label={t('Secret')}>{inGroups(enrolment.secret)}</Code>
          </Stack>
          <Form onSubmit={submit} problem={confirm.error}>
            <TextField
              label={t('2. Enter the code that it shows')}
              hint={t('Your other sessions end then: they were opened without it.')}
              pointer="/code"
              inputMode="numeric"
              autoComplete="one-time-code"
              mono
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog asks for it
              autoFocus
              value={code}
              onValue={setCode}
            />
            <SubmitActions act={t('Turn on')} busy={confirm.isPending} onCancel={onClose} />
          </Form>
        </Stack>
      </Columns>
    </Dialog>
  )
}
