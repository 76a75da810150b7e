/** The name, the tags and the custom fields of a device. */
import type { CustomField, Device, UpdateDevice } from '../../../../sdk/schema.ts'
import { changedFields, fieldTexts, unreadableFields } from '../../api/field-values.ts'
import { useRead } from '../../api/hooks.ts'
import { linesOf, mergeOf, tagsOf } from '../../api/tags.ts'
import { ChangeForm } from '../../kit/ChangeForm.tsx'
import { TextArea, TextField } from '../../kit/Field.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { CustomFieldInputs, NO_JSON } from './CustomFieldInputs.tsx'
import { ofDevice, type SectionProps } from './of-device.ts'
import { t } from './translations.ts'

interface Value {
  name: string
  tags: string
  fields: Readonly<Record<string, string>>
}

const NO_TAGS = t('One tag a line: name = value.')

function faultOf({ tags, fields }: Value, known: readonly CustomField[]): string | undefined {
  if (tagsOf(tags) === undefined) return NO_TAGS
  return unreadableFields(fields, known).length > 0 ? NO_JSON : undefined
}

/** Only what differs: tags and fields that others have added stay. */
function bodyOf(value: Value, base: Value, known: readonly CustomField[]): UpdateDevice {
  const tags = mergeOf(tagsOf(base.tags) ?? {}, tagsOf(value.tags) ?? {})
  const fields = changedFields(base.fields, value.fields, known)
  return {
    ...(value.name !== base.name && { name: value.name }),
    ...(Object.keys(tags).length > 0 && { tags: tags as NonNullable<UpdateDevice['tags']> }),
    ...(Object.keys(fields).length > 0 && { custom_fields: fields }),
  }
}

const presentOf = (
  { name, tags, custom_fields }: Device,
  known: readonly CustomField[],
): Value => ({
  name,
  tags: linesOf(tags),
  fields: fieldTexts(custom_fields, known),
})

export function DeviceSettings({ device, etag }: SectionProps) {
  const query = useRead('listCustomFields', { params: { id: device.workspace_id } })
  if (query.data === undefined) return <Pending query={query} of={t('Custom fields')} />
  // One that is being deleted takes no value.
  const known = query.data.items.filter(({ status }) => status === 'active')
  return (
    <Stack narrow>
      <ChangeForm
        title={t('Name, tags and custom fields')}
        operation="updateDevice"
        params={ofDevice(device)}
        etag={etag}
        present={presentOf(device, known)}
        bodyOf={(value, base) => bodyOf(value, base, known)}
        faultOf={(value) => faultOf(value, known)}
        refreshes={['getDevice', 'listDevices', 'listDeviceFacets', 'getDeviceTimeline']}
      >
        {(value, change) => (
          <>
            <TextField
              label={t('Name')}
              pointer="/name"
              value={value.name}
              onValue={(name) => change({ name })}
            />
            <TextArea
              label={t('Tags')}
              optional
              mono
              rows={4}
              pointer="/tags"
              hint={t(
                'One a line, such as floor = ground. Filters, jobs and groups find devices by them.',
              )}
              error={tagsOf(value.tags) === undefined ? NO_TAGS : undefined}
              value={value.tags}
              onValue={(tags) => change({ tags })}
            />
            <CustomFieldInputs
              fields={known}
              values={value.fields}
              onValues={(fields) => change({ fields })}
            />
          </>
        )}
      </ChangeForm>
    </Stack>
  )
}
