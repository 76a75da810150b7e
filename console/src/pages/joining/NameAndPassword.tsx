/** The data of a new account, once its address is proved. */
import { type ReactNode, useState } from 'react'
import type { Problem } from '../../api/problem.ts'
import { Button } from '../../kit/Button.tsx'
import { Form, TextField } from '../../kit/Field.tsx'
import { NewPasswordField } from '../account/NewPasswordField.tsx'
import { t } from './translations.ts'

interface NameAndPasswordProps {
  act: string
  /** The address of the account, for password managers. */
  email?: string
  busy: boolean
  problem: Problem | null
  onSubmit: (person: { name: string; password: string }) => void
  /** Fields before and after the name and the password. */
  first?: ReactNode
  children?: ReactNode
}

export function NameAndPassword(props: NameAndPasswordProps) {
  const { act, email, busy, problem, onSubmit, first, children } = props
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  return (
    <Form onSubmit={() => onSubmit({ name, password })} problem={problem}>
      {email !== undefined && (
        <TextField
          label={t('E-mail')}
          autoComplete="username"
          value={email}
          readOnly
          onValue={ignore}
        />
      )}
      {first}
      <TextField
        label={t('Your name')}
        pointer="/name"
        autoComplete="name"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is all that the page is for
        autoFocus={first === undefined}
        value={name}
        onValue={setName}
      />
      <NewPasswordField label={t('Password')} value={password} onValue={setPassword} />
      {children}
      <Button type="submit" kind="primary" wide busy={busy}>
        {act}
      </Button>
    </Form>
  )
}

const ignore = (): void => {}
