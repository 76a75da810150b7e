/** The address that one signs in with, and how it is changed. */
import { useState } from 'react'
import { useChange, useRead } from '../../api/hooks.ts'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, TextField } from '../../kit/Field.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { MailNote } from '../joining/MailNote.tsx'

export function Address({ email: present }: { email: string }) {
  const [email, setEmail] = useState('')
  const ask = useChange('requestEmailChange')
  const { data: config } = useRead('getConsoleConfig')
  return (
    <Panel title="E-mail">
      <Stack>
        <p>
          You sign in as <b>{present}</b>.
        </p>
        {ask.isSuccess && (
          <Note
            tone="ok"
            title={
              config?.mail === false
                ? `Open the link that is written for ${email}.`
                : `Open the link in the mail to ${email}.`
            }
          >
            Until then everything stays as it is. The link works once, within a day; your present
            address is told that it was asked for.
          </Note>
        )}
        {ask.isSuccess && config !== undefined && <MailNote config={config} />}
        <Form onSubmit={() => ask.mutate({ body: { email } })} problem={ask.error}>
          <TextField
            label="New address"
            type="email"
            autoComplete="email"
            pointer="/email"
            value={email}
            onValue={(next) => {
              setEmail(next)
              ask.reset()
            }}
          />
          <FormActions>
            <Button
              type="submit"
              busy={ask.isPending}
              blocked={email === '' ? 'Enter an address first.' : undefined}
            >
              Send a link to it
            </Button>
          </FormActions>
        </Form>
      </Stack>
    </Panel>
  )
}
