/** The end of a custom field, and of the values that devices have of it. */
import { useState } from 'react'
import type { CustomField } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { DevicesCounted } from '../../kit/Counts.tsx'
import { Checkbox } from '../../kit/Field.tsx'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { t } from './translations.ts'

export function DeleteField({ field, onClose }: { field: CustomField; onClose: () => void }) {
  const [hasPurge, setPurge] = useState(false)
  const remove = useChange('deleteCustomField', ['listCustomFields', 'listDevices'])
  const input = {
    params: { id: field.workspace_id, field_id: field.id },
    query: hasPurge ? { purge: true } : {},
  }
  useNextCall('deleteCustomField', input)
  const confirm = (): void =>
    remove.mutate(input, {
      onSuccess: () => {
        say(t('Field {name} is being deleted', field))
        onClose()
      },
    })
  return (
    <ConfirmDialog
      title={t('Delete the field {name}?', field)}
      act={t('Delete')}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack>
        <p>{t('A field that devices have values of is refused, unless the values go with it.')}</p>
        <Facts
          facts={[
            [
              t('Devices with a value'),
              <DevicesCounted key="devices" filter={`custom_fields.${field.name}:*`} />,
            ],
          ]}
        />
        <Checkbox
          label={t('Delete the values of all devices too')}
          hint={t('In the background. There is no way back.')}
          checked={hasPurge}
          onValue={setPurge}
        />
      </Stack>
    </ConfirmDialog>
  )
}
