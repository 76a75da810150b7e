/** The field of the address by which somebody signs in, where it is all that the page is for. */
import { TextField } from '../../kit/Field.tsx'
import { t } from './translations.ts'

interface EmailFieldProps {
  hint?: string | undefined
  value: string
  onValue: (value: string) => void
}

export const EmailField = (props: EmailFieldProps) => (
  <TextField
    label={t('E-mail')}
    type="email"
    autoComplete="username"
    pointer="/email"
    // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is all that the page is for
    autoFocus
    {...props}
  />
)
