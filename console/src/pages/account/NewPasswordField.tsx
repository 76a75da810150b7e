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
/** The fewest characters where the password is all that protects the account. */
const ALONE = 15

export function NewPasswordField(props: NewPasswordProps) {
  const { label = t('New password'), pointer = '/password', fewest = ALONE, value, onValue } = props
  const length = Array.from(value).length
  const isShort = length > 0 && length < fewest
  const rule =
    fewest < ALONE
      ? t('At least {fewest} characters: a second factor protects the account, too.', { fewest })
      : t('At least {fewest} characters, or 12 once a second factor protects the account, too.', {
          fewest,
        })
  return (
    <PasswordField
      label={label}
      hint={
        <>
          {rule} {t('A few words are easy to remember.')}
          {isShort && <> {t('{length} so far.', { length })}</>}
        </>
      }
      pointer={pointer}
      autoComplete="new-password"
      maxLength={LONGEST}
      value={value}
      onValue={onValue}
    />
  )
}
