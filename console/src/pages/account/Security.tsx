/** How one proves who one is: password, passkeys, authenticator, recovery codes. */
import { useState } from 'react'
import type { Account } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Checkbox, Form, FormActions, PasswordField } from '../../kit/Field.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { say } from '../../kit/Overlay.tsx'
import { AccountPage } from './AccountPage.tsx'
import { Authenticator } from './Authenticator.tsx'
import { Identities } from './Identities.tsx'
import { NewPasswordField } from './NewPasswordField.tsx'
import { Passkeys } from './Passkeys.tsx'
import { counted, t } from './translations.ts'

const ended = (count: number | undefined): string =>
  counted(count ?? 0, 'One other session has ended.', '{n} other sessions have ended.')

function Password({ me, onChanged }: { me: Account; onChanged: () => void }) {
  const [old, setOld] = useState('')
  const [chosen, setChosen] = useState('')
  const [isEnding, setEnding] = useState(true)
  const change = useChange('changePassword', ['listSessions'])
  const body = { current_password: old, new_password: chosen, end_other_sessions: isEnding }
  useNextCall('changePassword', { body })
  const submit = (): void =>
    change.mutate(
      { body },
      {
        onSuccess: (result) => {
          say(t('Your password is changed'), ended(result?.sessions_ended))
          onChanged()
        },
      },
    )
  return (
    <Panel title={t('Password')}>
      <Form onSubmit={submit} problem={change.error}>
        <input type="hidden" autoComplete="username" value={me.email} readOnly />
        <PasswordField
          label={t('Current password')}
          pointer="/current_password"
          autoComplete="current-password"
          value={old}
          onValue={setOld}
        />
        <NewPasswordField
          pointer="/new_password"
          hasAuthenticator={me.mfa_enabled}
          value={chosen}
          onValue={setChosen}
        />
        <Checkbox
          label={t('End all other sessions')}
          hint={t('All other browsers and devices of this account have to sign in again.')}
          checked={isEnding}
          onValue={setEnding}
        />
        <FormActions>
          <Button type="submit" busy={change.isPending}>
            {t('Change password')}
          </Button>
        </FormActions>
      </Form>
    </Panel>
  )
}

export default function Security() {
  const me = useRead('getMe')
  const [changes, setChanges] = useState(0)
  return (
    <AccountPage title={t('Security')}>
      <Stack narrow>
        {me.data === undefined ? (
          <Pending query={me} of={t('Your account')} />
        ) : (
          <>
            <Passkeys />
            <Identities />
            <Authenticator me={me.data} />
            <Password key={changes} me={me.data} onChanged={() => setChanges(changes + 1)} />
          </>
        )}
      </Stack>
    </AccountPage>
  )
}
