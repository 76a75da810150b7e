/** The field for a new password, with the rule that is checked by length alone. */
import { PasswordField } from '../../kit/Field.tsx'
import { t } from './words.ts'

interface NewPasswordProps {
  label?: string
  /** Member of the request. */
  pointer?: string
  /** The fewest characters: 12 where a second factor protects the account too. */
  fewest?: number
  value: string
  onValue: (value: string) => void
}

const LONGEST = 1024

export function NewPasswordField(props: NewPasswordProps) {
  const { label = t('New password'), pointer = '/password', fewest = 15, value, onValue } = props
  const length = Array.from(value).length
  const isShort = length > 0 && length < fewest
  return (
    <PasswordField
      label={label}
      hint={
        isShort
          ? t('At least {fewest} characters. A few words are easy to remember. {length} so far.', {
              fewest,
              length,
            })
          : t('At least {fewest} characters. A few words are easy to remember.', { fewest })
      }
      pointer={pointer}
      autoComplete="new-password"
      maxLength={LONGEST}
      value={value}
      onValue={onValue}
    />
  )
}
