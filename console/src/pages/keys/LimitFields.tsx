/** The fields of a provision key's limits, for a new key and for changes. */
import { useRead } from '../../api/hooks.ts'
import { Checkbox, CheckGroup, RadioCards, TextArea, TextField } from '../../kit/Field.tsx'
import { Fold } from '../../kit/Fold.tsx'
import { Columns, Stack } from '../../kit/Layout.tsx'
import { UnreadField } from '../../kit/UnreadField.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import type { KeyAction, KnownDevice, LimitsDraft } from './key-limits.ts'
import { t } from './translations.ts'

interface LimitFieldsProps {
  value: LimitsDraft
  onValue: (value: LimitsDraft) => void
}

const actionOptions: readonly { value: KeyAction; label: string; hint: string }[] = [
  {
    value: 'register',
    label: t('Register'),
    hint: t('Creates devices, with credentials of their own.'),
  },
  { value: 'rotate', label: t('Rotate'), hint: t('Gets new credentials for devices that exist.') },
]

const knownOptions: readonly { value: KnownDevice; label: string; hint: string }[] = [
  {
    value: 'rotate',
    label: t('Give it new credentials'),
    hint: t('For devices that provision themselves repeatedly. None is locked out.'),
  },
  {
    value: 'rotate_unclaimed',
    label: t('Give it new credentials, unless it is claimed'),
    hint: t('A claimed device gets new ones only after staff allow it.'),
  },
  {
    value: 'replay_only',
    label: t('Repeat the first response'),
    hint: t(
      'For a line that each device passes once. Repeats it for 24 hours, until the device has used it.',
    ),
  },
  {
    value: 'refuse',
    label: t('Refuse'),
    hint: t(
      'Even a stolen key cannot take over an existing device, if “Rotate” is not ticked either.',
    ),
  },
]

/** The templates that a key may be limited to. */
export function useTemplates() {
  const { id } = useWorkspace()
  return useRead('listDeviceTemplates', { params: { id }, query: { limit: 100 } })
}

function Templates({ value, onValue }: LimitFieldsProps) {
  const templates = useTemplates()
  if (templates.data === undefined) {
    return <UnreadField label={t('Templates')} query={templates} of={t('Templates')} />
  }
  const options = templates.data.items.map((each) => ({ value: each.id, label: each.name }))
  if (options.length === 0) return null
  return (
    <CheckGroup
      label={t('Templates')}
      hint={t(
        'It may register devices of these templates only. If none is chosen: of any, later ones too.',
      )}
      values={value.templateIds}
      options={options}
      onValues={(templateIds) => onValue({ ...value, templateIds })}
    />
  )
}

const limitPointers = ['/device_quota', '/rate_per_min', '/expires_at', '/allowed_cidrs']

interface AmountsProps {
  value: LimitsDraft
  change: (changes: Partial<LimitsDraft>) => void
}

const Amounts = ({ value, change }: AmountsProps) => (
  <Columns>
    <TextField
      label={t('Device limit')}
      optional
      hint={t(
        'How many devices it may register. Empty: no limit. Retries and rotations do not count; a deleted device does not free its place.',
      )}
      pointer="/device_quota"
      inputMode="numeric"
      value={value.quota}
      onValue={(quota) => change({ quota })}
    />
    <TextField
      label={t('Calls per minute')}
      optional
      hint={t('Instead of the default limit of the service.')}
      pointer="/rate_per_min"
      inputMode="numeric"
      value={value.rate}
      onValue={(rate) => change({ rate })}
    />
    <TextField
      label={t('Expires')}
      optional
      hint={t('In the time zone of this browser. Empty: it does not expire.')}
      pointer="/expires_at"
      type="datetime-local"
      value={value.expires}
      onValue={(expires) => change({ expires })}
    />
    <TextArea
      label={t('Networks')}
      optional
      hint={t('Where calls may come from, one CIDR a line: 203.0.113.0/24')}
      pointer="/allowed_cidrs"
      mono
      rows={2}
      value={value.networks}
      onValue={(networks) => change({ networks })}
    />
  </Columns>
)

export function LimitFields({ value, onValue }: LimitFieldsProps) {
  const change = (changes: Partial<LimitsDraft>): void => onValue({ ...value, ...changes })
  const { quota, rate, expires, networks } = value
  const isLimited = [quota, rate, expires, networks].some((each) => each !== '')
  return (
    <Stack>
      <Columns>
        <CheckGroup
          label={t('Actions')}
          values={value.actions}
          options={actionOptions}
          onValues={(actions) => change({ actions })}
        />
        <Templates value={value} onValue={onValue} />
      </Columns>
      <RadioCards
        label={t('When a known hardware id registers again')}
        value={value.knownDevice}
        options={knownOptions}
        onValue={(knownDevice) => change({ knownDevice })}
      />
      <Checkbox
        label={t('Its devices await approval')}
        hint={t('MQTT refuses them until a person approves them on the page “Approvals”.')}
        checked={value.needsApproval}
        onValue={(needsApproval) => change({ needsApproval })}
      />
      <Fold label={t('Limits (optional)')} isOpen={isLimited} pointers={limitPointers}>
        <Amounts value={value} change={change} />
      </Fold>
    </Stack>
  )
}
