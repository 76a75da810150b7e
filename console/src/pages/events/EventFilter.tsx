/** The selection of events in the feed: a dialog makes it, and a line names it. */
import { useMutation } from '@tanstack/react-query'
import { ListFilter } from 'lucide-react'
import { useState } from 'react'
import { chosenOf, noTypes, typesOf } from '../../api/event-kinds.ts'
import { deviceNamed, isDeviceId, SEVERAL } from '../../api/named-devices.ts'
import { type Problem, problemOf } from '../../api/problem.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, TextField } from '../../kit/Field.tsx'
import { Row } from '../../kit/Layout.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { EventTypes } from './EventTypes.tsx'
import { typesText } from './event-labels.ts'
import { rich, t } from './translations.ts'

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

/** The id of the device that was typed, which may be deleted; or why there is none. */
async function idOf(workspaceId: string, text: string): Promise<{ id: string } | { why: string }> {
  if (text === '' || isDeviceId(text)) return { id: text }
  const found = await deviceNamed(workspaceId, text)
  if (found === undefined) return { why: t('No device has this key or name.') }
  return found === 'several' ? { why: SEVERAL } : { id: found }
}

/** Asks for the device that is typed, and says why there is none until another one is. */
function useTypedDevice(typed: string, onFound: (id: string) => void) {
  const { id: workspaceId } = useWorkspace()
  const [missed, setMissed] = useState<{ text: string; why: string } | undefined>()
  const find = useMutation<string | null, Problem, string>({
    mutationFn: async (text) => {
      const found = await idOf(workspaceId, text).catch((thrown: unknown) => {
        throw problemOf(thrown)
      })
      setMissed('why' in found ? { text, why: found.why } : undefined)
      return 'id' in found ? found.id : null
    },
    onSuccess: (id) => {
      if (id !== null) onFound(id)
    },
  })
  return { find, error: missed?.text === typed ? missed.why : undefined }
}

function FilterDialog({ chosen, onChosen, onClose }: FilterProps & { onClose: () => void }) {
  const { id } = useWorkspace()
  const [types, setTypes] = useState(
    chosen.types === '' ? noTypes : chosenOf(chosen.types.split(',')),
  )
  const [device, setDevice] = useState(chosen.device)
  const typed = device.trim()
  const named = typesOf(types)?.join(',') ?? ''
  // The id is looked up by the name first.
  const shown = typed === '' || isDeviceId(typed) ? typed : t('<id of {name}>', { name: typed })
  useNextCall('readEvents', {
    params: { id },
    query: queryOf({ types: named, device: shown }),
  })
  const { find, error } = useTypedDevice(typed, (found) => {
    onChosen({ types: named, device: found })
    onClose()
  })
  return (
    <Dialog title={t('Filter events')} open wide onClose={onClose}>
      <Form problem={find.error} onSubmit={() => find.mutate(typed)}>
        <TextField
          label={t('Device')}
          optional
          mono
          hint={t('Its key, name or id. The id also finds a deleted device.')}
          error={error}
          value={device}
          onValue={setDevice}
        />
        <EventTypes value={types} onValue={setTypes} />
        <SubmitActions act={t('Show events')} busy={find.isPending} onCancel={onClose} />
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
