/** One's account: name, address, theme, and deleting the account. */
import { useState } from 'react'
import type { Account as Me } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, type Option, RadioCards, Select, TextField } from '../../kit/Field.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { say } from '../../kit/Overlay.tsx'
import { setTheme, theme, type Theme } from '../../session/preferences.ts'
import { type Language, language, languages, setLanguage } from '../../i18n/language.ts'
import { AccountPage } from './AccountPage.tsx'
import { Address } from './Address.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { t } from './translations.ts'

function Name({ me }: { me: Me }) {
  const [name, setName] = useState(me.name)
  const change = useChange('updateMe', ['getMe'])
  const body = { name }
  useNextCall('updateMe', { body })
  const submit = (): void =>
    change.mutate({ body }, { onSuccess: () => say(t('Your name is changed')) })
  return (
    <Panel title={t('Profile')}>
      <Form onSubmit={submit} problem={change.error}>
        <TextField
          label={t('Name')}
          hint={t('Shown to colleagues next to your actions.')}
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
            blocked={name === me.name ? t('Nothing is changed.') : undefined}
          >
            {t('Save name')}
          </Button>
        </FormActions>
      </Form>
    </Panel>
  )
}

const themes: readonly Option<Theme>[] = [
  {
    value: 'system',
    label: t('Match system'),
    hint: t('Changes with the setting of this device.'),
  },
  { value: 'light', label: t('Light') },
  { value: 'dark', label: t('Dark') },
]

function ThemeChoice() {
  const [present, setPresent] = useState(theme())
  const choose = (next: Theme): void => {
    setTheme(next)
    setPresent(next)
  }
  return (
    <Panel title={t('Theme')}>
      <RadioCards label={t('In this browser')} value={present} options={themes} onValue={choose} />
    </Panel>
  )
}

/** Each in its own language, for people who cannot read the present one. */
const languageOptions: readonly Option<Language>[] = (['en', 'de'] as const).map((value) => ({
  value,
  label: languages[value],
}))

const LanguageChoice = () => (
  <Panel title={t('Language')}>
    <Select
      label={t('Language of the console, in this browser')}
      hint={t('Changing it reloads the page. E-mails and some details of errors are in English.')}
      value={language}
      options={languageOptions}
      onValue={setLanguage}
    />
  </Panel>
)

export default function Account() {
  const me = useRead('getMe')
  return (
    <AccountPage title={t('Account')}>
      <Stack narrow>
        {me.data === undefined ? (
          <Pending query={me} of={t('Your account')} />
        ) : (
          <>
            <Name me={me.data} />
            <Address email={me.data.email} />
            <ThemeChoice />
            <LanguageChoice />
            <DeleteAccount id={me.data.id} email={me.data.email} />
          </>
        )}
      </Stack>
    </AccountPage>
  )
}
