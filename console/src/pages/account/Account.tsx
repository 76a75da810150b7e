/** One's account: name, address, colours, and leaving for good. */
import { useState } from 'react'
import type { Account as Me } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, type Option, RadioCards, TextField } from '../../kit/Field.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { say } from '../../kit/Overlay.tsx'
import { setTheme, theme, type Theme } from '../../session/preferences.ts'
import { AccountPage } from './AccountPage.tsx'
import { Address } from './Address.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'

function Name({ me }: { me: Me }) {
  const [name, setName] = useState(me.name)
  const change = useChange('updateMe', ['getMe'])
  const body = { name }
  useNextCall('updateMe', { body })
  const submit = (): void =>
    change.mutate({ body }, { onSuccess: () => say('Your name is changed') })
  return (
    <Panel title="Profile">
      <Form onSubmit={submit} problem={change.error}>
        <TextField
          label="Name"
          hint="Your colleagues see it beside what you do."
          pointer="/name"
          autoComplete="name"
          value={name}
          onValue={setName}
        />
        <FormActions>
          <Button
            type="submit"
            kind="primary"
            busy={change.isPending}
            blocked={name === me.name ? 'Nothing is changed.' : undefined}
          >
            Save name
          </Button>
        </FormActions>
      </Form>
    </Panel>
  )
}

const themes: readonly Option<Theme>[] = [
  { value: 'system', label: 'As the system', hint: 'Changes with the setting of this device.' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

function Colours() {
  const [present, setPresent] = useState(theme())
  const choose = (next: Theme): void => {
    setTheme(next)
    setPresent(next)
  }
  return (
    <Panel title="Colours">
      <RadioCards label="In this browser" value={present} options={themes} onValue={choose} />
    </Panel>
  )
}

export default function Account() {
  const me = useRead('getMe')
  return (
    <AccountPage title="Account">
      <Stack narrow>
        {me.data === undefined ? (
          <Pending query={me} />
        ) : (
          <>
            <Name me={me.data} />
            <Address email={me.data.email} />
            <Colours />
            <DeleteAccount email={me.data.email} />
          </>
        )}
      </Stack>
    </AccountPage>
  )
}
