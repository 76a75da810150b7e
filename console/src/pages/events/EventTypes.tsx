/** Chooses types of events: whole kinds, and single types, each with what it means. */
import { eventTypes } from '../../../../sdk/event-types.ts'
import { type ChosenTypes, eventKinds } from '../../api/event-kinds.ts'
import { CheckPicker } from '../../kit/CheckPicker.tsx'
import { CheckGroup } from '../../kit/Field.tsx'
import { Fold } from '../../kit/Fold.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { eventText } from './event-labels.ts'
import { t } from './translations.ts'

const kinds = eventKinds.map(([value, label]) => ({ value, label }))

const typeGroups = eventKinds.map(([pattern, label]) => ({
  name: pattern,
  label,
  options: eventTypes
    .filter((type) => `${type.split('.')[0]}.*` === pattern)
    .map((value) => ({ value: value as string, label: eventText(value), hint: value })),
}))

interface EventTypesProps {
  value: ChosenTypes
  onValue: (value: ChosenTypes) => void
}

export const EventTypes = ({ value, onValue }: EventTypesProps) => (
  <Stack>
    <CheckGroup
      label={t('Events')}
      hint={t('Nothing chosen: all events.')}
      columns
      values={value.kinds}
      options={kinds}
      onValues={(next) => onValue({ ...value, kinds: next })}
    />
    <Fold label={t('Choose single types')} isOpen={value.others.length > 0}>
      <CheckPicker
        label={t('Single types')}
        search={t('Search types')}
        none={t('No type has this in its name.')}
        groups={typeGroups.filter(({ name }) => !value.kinds.includes(name))}
        values={value.others}
        nameOf={eventText}
        onValues={(others) => onValue({ ...value, others })}
      />
    </Fold>
  </Stack>
)
