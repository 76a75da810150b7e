/** The address that one signs in with, and how it is changed. */
import { useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, TextField } from '../../kit/Field.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { MailNote } from '../joining/MailNote.tsx'
import { useConfig } from '../../session/config.ts'
import { rich, t } from './translations.ts'

export function Address({ email: present }: { email: string }) {
  const [email, setEmail] = useState('')
  const ask = useChange('requestEmailChange')
  useNextCall('requestEmailChange', { body: { email } })
  const { data: config } = useConfig()
  return (
    <Panel title={t('E-mail')}>
      <Stack>
        <p>{rich('You sign in as {email}.', { email: <b>{present}</b> })}</p>
        {ask.isSuccess && (
          <Note
            tone="ok"
            title={
              config?.mail === false
                ? t('Open the link that is written for {email}.', { email })
                : t('Open the link in the mail to {email}.', { email })
            }
          >
            {t(
              'You keep signing in with the present address until you open the link. It works once, within a day; your current address gets a mail about the request.',
            )}
          </Note>
        )}
        {ask.isSuccess && config !== undefined && <MailNote config={config} />}
        <Form onSubmit={() => ask.mutate({ body: { email } })} problem={ask.error}>
          <TextField
            label={t('New address')}
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
              blocked={email === '' ? t('Enter an address first.') : undefined}
            >
              {t('Send confirmation link')}
            </Button>
          </FormActions>
        </Form>
      </Stack>
    </Panel>
  )
}
