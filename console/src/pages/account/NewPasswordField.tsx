/** The field for a new password, with the rule that is checked by length alone. */
import { PasswordField } from '../../kit/Field.tsx'
import { t } from './translations.ts'

interface NewPasswordProps {
  label?: string
  /** Member of the request. */
  pointer?: string
  /** Whether the account has an authenticator; the password may then be shorter. */
  hasAuthenticator?: boolean | undefined
  /** Whether typing begins in it. */
  isFirst?: boolean
  value: string
  onValue: (value: string) => void
}

const LONGEST = 1024
/** The fewest characters where the password alone protects the account, and where it does not. */
const ALONE = 15
const WITH_AUTHENTICATOR = 12

export function NewPasswordField(props: NewPasswordProps) {
  const {
    label = t('New password'),
    pointer = '/password',
    hasAuthenticator,
    isFirst = false,
  } = props
  const { value, onValue } = props
  const fewest = hasAuthenticator === true ? WITH_AUTHENTICATOR : ALONE
  const length = Array.from(value).length
  const isShort = length > 0 && length < fewest
  const rule =
    hasAuthenticator === true
      ? t('At least {fewest} characters, because the account has an authenticator.', {
          fewest,
        })
      : t('At least {fewest} characters, or 12 with an authenticator.', {
          fewest,
        })
  return (
    <PasswordField
      label={label}
      hint={
        <>
          {rule} {t('A phrase of a few words is easy to remember.')}
          {isShort && <> {t('{length} so far.', { length })}</>}
        </>
      }
      pointer={pointer}
      autoComplete="new-password"
      maxLength={LONGEST}
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- where it is what the page is for
      autoFocus={isFirst}
      value={value}
      onValue={onValue}
    />
  )
}
