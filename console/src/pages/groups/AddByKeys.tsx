/** Adds devices to a group by a pasted list of keys, and says which keys no device has. */
import { useState } from 'react'
import type { DeviceGroup } from '../../../../sdk/schema.ts'
import { call } from '../../api/client.ts'
import { escaped } from '../../api/filter.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, TextArea } from '../../kit/Field.tsx'
import { Note } from '../../kit/Note.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { type Problem, problemOf } from '../../api/problem.ts'
import { numberText } from '../../kit/numbers.ts'
import { counted, t } from './translations.ts'

/** Keys that are looked up with one filter, which has a limit of its own. */
const TOGETHER = 20

/** The keys of a pasted text: one a line, or separated by commas, semicolons or spaces. */
const keysOf = (text: string): string[] => [
  ...new Set(text.split(/[\s,;]+/).filter((word) => word !== '')),
]

/** The devices with these keys, by key. */
async function find(workspaceId: string, keys: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let at = 0; at < keys.length; at += TOGETHER) {
    const some = keys.slice(at, at + TOGETHER)
    const filter = some.map((key) => `device_key = "${escaped(key)}"`).join(' OR ')
    const query = { filter, limit: TOGETHER }
    const { items } = await call('listDevices', { params: { id: workspaceId }, query })
    for (const { device_key, id } of items) found.set(device_key, id)
  }
  return found
}

interface AddProps {
  group: DeviceGroup
  onClose: () => void
}

export function AddByKeys({ group, onClose }: AddProps) {
  const [text, setText] = useState('')
  const [isFinding, setFinding] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [missing, setMissing] = useState<readonly string[]>([])
  const add = useChange('changeDeviceGroupMembers', [
    'listDeviceGroupDevices',
    'countDevices',
    'listDevices',
  ])
  const keys = keysOf(text)
  const params = { id: group.workspace_id, group_id: group.id }
  // The ids are looked up by the keys first.
  useNextCall('changeDeviceGroupMembers', {
    params,
    body: { add: keys.map((key) => t('<id of {name}>', { name: key })) },
  })
  const submit = async (): Promise<void> => {
    setFinding(true)
    setProblem(null)
    try {
      const found = await find(group.workspace_id, keys)
      if (found.size > 0) await add.mutateAsync({ params, body: { add: [...found.values()] } })
      setMissing(keys.filter((key) => !found.has(key)))
      setText('')
    } catch (error) {
      setProblem(problemOf(error))
    }
    setFinding(false)
  }
  return (
    <Dialog title={t('Add devices to {name}', { name: group.name })} open onClose={onClose}>
      <Form onSubmit={() => void submit()} problem={problem}>
        <TextArea
          label={t('Keys')}
          mono
          rows={8}
          hint={t('One a line, or separated by commas or spaces, as from a spreadsheet.')}
          value={text}
          onValue={setText}
        />
        {add.data !== undefined && (
          <Note tone="ok" title={t('{n} added.', { n: numberText(add.data.added) })}>
            {t('Devices that were in it already are not counted.')}
          </Note>
        )}
        {missing.length > 0 && (
          <Note
            tone="warn"
            title={counted(
              missing.length,
              '{n} key belongs to no device',
              '{n} keys belong to no device',
            )}
          >
            <code>{missing.join(', ')}</code>
          </Note>
        )}
        <FormActions>
          <Button
            type="submit"
            kind="primary"
            busy={isFinding}
            blocked={keys.length === 0 ? t('Paste keys first.') : undefined}
          >
            {keys.length > 0 ? t('Add {n}', { n: numberText(keys.length) }) : t('Add')}
          </Button>
          <Button onClick={onClose}>{t('Close')}</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}
