/** Asks for an account, where everybody may have one. */
import { useState } from 'react'
import type { ConsoleConfig } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { Button } from '../../kit/Button.tsx'
import { Form } from '../../kit/Field.tsx'
import { Note, Pending } from '../../kit/Note.tsx'
import { CardPage } from '../../kit/CardPage.tsx'
import { toSignIn } from './LinkPage.tsx'
import { MailNote } from './MailNote.tsx'
import { useConfig } from '../../session/config.ts'
import { EmailField } from './EmailField.tsx'
import { t } from './translations.ts'

function Ask({ config }: { config: ConsoleConfig }) {
  const [email, setEmail] = useState('')
  const register = useChange('register')
  if (register.isSuccess) {
    if (!config.mail) {
      return (
        <Note tone="ok" title={t('Ask the operator for the link.')}>
          {t(
            'A link to continue is in the outbox of this installation, which sends no mail itself. It works once, within a day.',
          )}
        </Note>
      )
    }
    return (
      <Note tone="ok" title={t('Look at your mail.')}>
        {t('A link to continue is on its way to {email}. It works once, within a day.', {
          email,
        })}
      </Note>
    )
  }
  return (
    <>
      <Form onSubmit={() => register.mutate({ body: { email } })} problem={register.error}>
        <EmailField value={email} onValue={setEmail} />
        <Button type="submit" kind="primary" wide busy={register.isPending}>
          {t('Continue')}
        </Button>
      </Form>
      <MailNote config={config} />
    </>
  )
}

export default function SignUp() {
  const config = useConfig()
  return (
    <CardPage title={t('Create account')} footer={toSignIn}>
      {config.data === undefined && <Pending query={config} of={t('The settings')} />}
      {config.data?.registration === 'open' && <Ask config={config.data} />}
      {config.data !== undefined && config.data.registration !== 'open' && (
        <Note
          title={
            config.data.registration === 'invited'
              ? t('Sign-up is by invitation only.')
              : t('Sign-up is closed.')
          }
        >
          {config.data.registration === 'invited'
            ? t(
                'Ask a colleague to invite you to their workspace: the invitation makes your account.',
              )
            : t('Ask the operator of this installation for an account.')}
        </Note>
      )}
    </CardPage>
  )
}
