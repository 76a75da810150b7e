/** The common settings of a template's devices, but for their rules. */
import { secondsOf } from '../../api/duration.ts'
import { type Draft, useDraft } from '../../api/draft.ts'
import { useChange } from '../../api/hooks.ts'
import { jsonFaultOf, jsonObjectOf } from '../../api/json-object.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { DraftForm } from '../../kit/DraftForm.tsx'
import { TextArea, TextField } from '../../kit/Field.tsx'
import { Columns, Panel, Stack } from '../../kit/Layout.tsx'
import { say } from '../../kit/Overlay.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { Capabilities } from './Capabilities.tsx'
import { SerialField } from './SerialField.tsx'
import { changesOf, draftOf, type TemplateDraft } from './template-draft.ts'
import { ofTemplate, REFRESHES, type TemplateProps } from './TemplatePage.tsx'
import { t } from './translations.ts'

interface PartProps {
  draft: Draft<TemplateDraft>
}

const Names = ({ draft: { value, change } }: PartProps) => (
  <Panel title={t('What it is')}>
    <Stack>
      <TextField
        label={t('Name')}
        pointer="/name"
        value={value.name}
        onValue={(name) => change({ name })}
      />
      <TextArea
        label={t('Description')}
        optional
        rows={2}
        pointer="/description"
        value={value.description}
        onValue={(description) => change({ description })}
      />
      <SerialField
        value={value.serial_format}
        onValue={(serial_format) => change({ serial_format })}
      />
      <TextField
        label={t('Rotation overlap')}
        hint={t(
          'How long new credentials that were never used are valid in addition to the old ones. Then they expire, and the old ones stay valid. Such as 7 d, 12 h or 30 min.',
        )}
        pointer="/rotation_overlap_s"
        error={
          secondsOf(value.overlap) === undefined
            ? t('Write it like 7 d, 12 h or 30 min.')
            : undefined
        }
        value={value.overlap}
        onValue={(overlap) => change({ overlap })}
      />
    </Stack>
  </Panel>
)

const Firmware = ({ draft: { value, change } }: PartProps) => (
  <Panel title={t('Firmware')}>
    <Stack>
      <TextField
        label={t('Address of the image')}
        optional
        hint={t('Devices read it with their configuration.')}
        pointer="/firmware/url"
        mono
        value={value.firmwareUrl}
        onValue={(firmwareUrl) => change({ firmwareUrl })}
      />
      <TextField
        label={'SHA-256'}
        optional
        pointer="/firmware/sha256"
        mono
        value={value.firmwareHash}
        onValue={(firmwareHash) => change({ firmwareHash })}
      />
      <TextField
        label={t('Size in bytes')}
        optional
        pointer="/firmware/size_bytes"
        inputMode="numeric"
        value={value.firmwareSize}
        onValue={(firmwareSize) => change({ firmwareSize })}
      />
    </Stack>
  </Panel>
)

const Config = ({ draft: { value, change } }: PartProps) => (
  <Panel title={t('Default configuration')}>
    <TextArea
      label={t('What a device has unless it sets its own')}
      mono
      rows={10}
      pointer="/default_config"
      value={value.config}
      onValue={(config) => change({ config })}
      error={jsonFaultOf(value.config)}
    />
  </Panel>
)

export function General({ template, etag }: TemplateProps) {
  const draft = useDraft(draftOf(template), etag)
  const blocked = useBlocked('updateDeviceTemplate')
  const save = useChange('updateDeviceTemplate', REFRESHES)
  const input = {
    params: ofTemplate(template),
    body: changesOf(draft.base, draft.value),
    etag: draft.etag,
  }
  useNextCall('updateDeviceTemplate', { params: input.params, body: input.body })
  const isReadable = jsonObjectOf(draft.value.config) !== undefined
  const done = (): void => {
    draft.drop()
    say(t('Template saved'))
  }
  return (
    <DraftForm
      draft={draft}
      problem={save.error}
      busy={save.isPending}
      blocked={blocked ?? (isReadable ? undefined : t('The configuration is no JSON object.'))}
      onSave={() => save.mutate(input, { onSuccess: done })}
      onReset={save.reset}
    >
      <Columns>
        <Stack>
          <Names draft={draft} />
          <Firmware draft={draft} />
        </Stack>
        <Stack>
          <Capabilities value={draft.value} onChange={draft.change} />
          <Config draft={draft} />
        </Stack>
      </Columns>
    </DraftForm>
  )
}
