/** Chooses types of events: whole kinds, and single types by their names. */
import { type ChosenTypes, eventKinds } from '../api/event-kinds.ts'
import { CheckGroup, TextField } from './Field.tsx'
import { Stack } from './Layout.tsx'
import { t } from '../words/frame.ts'

const options = eventKinds.map(([value, label]) => ({ value, label }))

interface EventTypesProps {
  value: ChosenTypes
  /** Of the member that has them, for what is refused. */
  pointer: string
  onValue: (value: ChosenTypes) => void
}

export const EventTypes = ({ value, pointer, onValue }: EventTypesProps) => (
  <Stack>
    <CheckGroup
      label={t('Events')}
      hint={t('If you choose none, all events.')}
      columns
      values={value.kinds}
      options={options}
      onValues={(kinds) => onValue({ ...value, kinds })}
    />
    <TextField
      label={t('Single types')}
      optional
      mono
      pointer={pointer}
      hint={t('Separated by commas: device.registered, member.removed')}
      value={value.others}
      onValue={(others) => onValue({ ...value, others })}
    />
  </Stack>
)
