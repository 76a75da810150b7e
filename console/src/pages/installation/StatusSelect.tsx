/** The choice of a status above a list of the installation. */
import { Select } from '../../kit/Field.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { t } from './translations.ts'

interface StatusSelectProps<Status extends string> {
  /** With an empty value: all. */
  options: readonly { value: Status | ''; label: string }[]
  value: Status | ''
  onChange: (changes: { status: Status | undefined }) => void
}

export const StatusSelect = <Status extends string>({
  options,
  value,
  onChange,
}: StatusSelectProps<Status>) => (
  <Stack narrow>
    <Select
      label={t('Status')}
      options={options}
      value={value}
      onValue={(next) => onChange({ status: next === '' ? undefined : next })}
    />
  </Stack>
)
