/** Asks for a link to choose a new password. */
import { useState } from 'react'
import { useChange, useRead } from '../../api/hooks.ts'
import { Button } from '../../kit/Button.tsx'
import { Form, TextField } from '../../kit/Field.tsx'
import { Note } from '../../kit/Note.tsx'
import { CardPage } from '../../kit/CardPage.tsx'
import { toSignIn } from './LinkPage.tsx'
import { MailNote } from './MailNote.tsx'

export default function Forgot() {
  const [email, setEmail] = useState('')
  const ask = useChange('requestPasswordReset')
  const { data: config } = useRead('getConsoleConfig')
  return (
    <CardPage title="Forgot your password?" footer={toSignIn}>
      {ask.isSuccess ? (
        <Note tone="ok" title="Look at your mail.">
          If there is an account for {email}, a link is on its way. It works once, within an hour.
        </Note>
      ) : (
        <Form onSubmit={() => ask.mutate({ body: { email } })} problem={ask.error}>
          <TextField
            label="E-mail"
            hint="The link to a new password is sent there."
            type="email"
            autoComplete="username"
            pointer="/email"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is all that the page is for
            autoFocus
            value={email}
            onValue={setEmail}
          />
          <Button type="submit" kind="primary" wide busy={ask.isPending}>
            Send the link
          </Button>
        </Form>
      )}
      {config !== undefined && <MailNote config={config} />}
    </CardPage>
  )
}
