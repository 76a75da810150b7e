/** Which events the feed shows: a dialog chooses them, and a line says what was chosen. */
import { ListFilter } from 'lucide-react'
import { useState } from 'react'
import { chosenOf, noTypes, typesOf } from '../../api/event-kinds.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, TextField } from '../../kit/Field.tsx'
import { Row } from '../../kit/Layout.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { EventTypes } from './EventTypes.tsx'
import { typesText } from './event-words.ts'
import { rich, t } from './words.ts'

/** As in the address: types by commas; empty: all of them, of all devices. */
interface Chosen {
  types: string
  device: string
}

interface FilterProps {
  chosen: Chosen
  onChosen: (chosen: Chosen) => void
}

const nothing: Chosen = { types: '', device: '' }

const queryOf = ({ types, device }: Chosen) => ({
  ...(types !== '' && { types }),
  ...(device !== '' && { device_id: device }),
})

function FilterDialog({ chosen, onChosen, onClose }: FilterProps & { onClose: () => void }) {
  const { id } = useWorkspace()
  const [types, setTypes] = useState(
    chosen.types === '' ? noTypes : chosenOf(chosen.types.split(',')),
  )
  const [device, setDevice] = useState(chosen.device)
  const next = { types: typesOf(types)?.join(',') ?? '', device: device.trim() }
  useNextCall('readEvents', { params: { id }, query: queryOf(next) })
  const show = (): void => {
    onChosen(next)
    onClose()
  }
  return (
    <Dialog title={t('Filter events')} open wide onClose={onClose}>
      <Form problem={null} onSubmit={show}>
        <EventTypes value={types} onValue={setTypes} />
        <TextField
          label={t('Device')}
          optional
          mono
          hint={t('Its id, dev_…: also of a deleted one.')}
          value={device}
          onValue={setDevice}
        />
        <FormActions>
          <Button type="submit" kind="primary">
            {t('Show')}
          </Button>
          <Button onClick={onClose}>{t('Cancel')}</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}

function onlyOfDevice(types: string, id: string) {
  const device = <Who id={id} />
  return types === ''
    ? rich('Only of {device}', { device })
    : rich('Only {types} of {device}', { types: typesText(types.split(',')), device })
}

export function EventFilter({ chosen, onChosen }: FilterProps) {
  const [isOpen, setOpen] = useState(false)
  const { types, device } = chosen
  return (
    <>
      <Button icon={<ListFilter size={15} />} onClick={() => setOpen(true)}>
        {t('Filter…')}
      </Button>
      {(types !== '' || device !== '') && (
        <Row>
          <span>
            {device === ''
              ? t('Only: {types}', { types: typesText(types.split(',')) })
              : onlyOfDevice(types, device)}
          </span>
          <Button kind="quiet" onClick={() => onChosen(nothing)}>
            {t('Show all')}
          </Button>
        </Row>
      )}
      {isOpen && (
        <FilterDialog chosen={chosen} onChosen={onChosen} onClose={() => setOpen(false)} />
      )}
    </>
  )
}
