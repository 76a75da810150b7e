/** The name, the tags and the custom fields of a device. */
import type { Device, UpdateDevice } from '../../../../sdk/schema.ts'
import { jsonObjectOf, NO_JSON_OBJECT } from '../../api/json-object.ts'
import { linesOf, mergeOf, tagsOf } from '../../api/tags.ts'
import { ChangeForm } from '../../kit/ChangeForm.tsx'
import { TextArea, TextField } from '../../kit/Field.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { ofDevice, type SectionProps } from './of-device.ts'
import { t } from './words.ts'

const textOf = (value: object): string => JSON.stringify(value, null, 2)

interface Value {
  name: string
  tags: string
  fields: string
}

function faultOf({ tags, fields }: Value): string | undefined {
  if (tagsOf(tags) === undefined) return NO_TAGS
  return jsonObjectOf(fields) === undefined ? NO_JSON_OBJECT : undefined
}

const NO_TAGS = t('One tag a line: name = value.')

/** Only what differs: tags and fields that others have added stay. */
function bodyOf(value: Value, base: Value): UpdateDevice {
  const tags = mergeOf(tagsOf(base.tags) ?? {}, tagsOf(value.tags) ?? {})
  const fields = mergeOf(jsonObjectOf(base.fields) ?? {}, jsonObjectOf(value.fields) ?? {})
  return {
    ...(value.name !== base.name && { name: value.name }),
    ...(Object.keys(tags).length > 0 && { tags: tags as NonNullable<UpdateDevice['tags']> }),
    ...(Object.keys(fields).length > 0 && { custom_fields: fields }),
  }
}

export function DeviceSettings({ device, etag }: SectionProps) {
  return (
    <Stack narrow>
      <ChangeForm
        title={t('Name, tags and custom fields')}
        operation="updateDevice"
        params={ofDevice(device)}
        etag={etag}
        present={presentOf(device)}
        bodyOf={bodyOf}
        faultOf={faultOf}
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
            <TextArea
              label={t('Custom fields')}
              optional
              mono
              rows={6}
              pointer="/custom_fields"
              hint={t('As JSON. The settings of the workspace say which there are.')}
              error={jsonObjectOf(value.fields) === undefined ? NO_JSON_OBJECT : undefined}
              value={value.fields}
              onValue={(fields) => change({ fields })}
            />
          </>
        )}
      </ChangeForm>
    </Stack>
  )
}

const presentOf = ({ name, tags, custom_fields }: Device): Value => ({
  name,
  tags: linesOf(tags),
  fields: textOf(custom_fields),
})
