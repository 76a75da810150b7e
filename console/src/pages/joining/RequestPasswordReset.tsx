/** Asks for a link to choose a new password. */
import { useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { Button } from '../../kit/Button.tsx'
import { Form } from '../../kit/Field.tsx'
import { Note } from '../../kit/Note.tsx'
import { CardPage } from '../../kit/CardPage.tsx'
import { toSignIn } from './LinkPage.tsx'
import { MailNote } from './MailNote.tsx'
import { useConfig } from '../../session/config.ts'
import { EmailField } from './EmailField.tsx'
import { t } from './translations.ts'

export default function RequestPasswordReset() {
  const [email, setEmail] = useState('')
  const ask = useChange('requestPasswordReset')
  const { data: config } = useConfig()
  return (
    <CardPage title={t('Forgot your password?')} footer={toSignIn}>
      {ask.isSuccess && config?.mail === false && (
        <Note tone="ok" title={t('Ask the operator for the link.')}>
          {t(
            'If there is an account for {email}, a link is in the outbox of this installation, which sends no mail itself. It works once, within an hour.',
            { email },
          )}
        </Note>
      )}
      {ask.isSuccess && config?.mail !== false && (
        <Note tone="ok" title={t('Look at your mail.')}>
          {t(
            'If there is an account for {email}, a link is on its way. It works once, within an hour.',
            { email },
          )}
        </Note>
      )}
      {config !== undefined && !ask.isSuccess && <MailNote config={config} />}
      {!ask.isSuccess && (
        <Form onSubmit={() => ask.mutate({ body: { email } })} problem={ask.error}>
          <EmailField
            hint={
              config?.mail === false ? undefined : t('The link to a new password is sent there.')
            }
            value={email}
            onValue={setEmail}
          />
          <Button type="submit" kind="primary" wide busy={ask.isPending}>
            {config?.mail === false ? t('Request a reset link') : t('Send the link')}
          </Button>
        </Form>
      )}
    </CardPage>
  )
}
