/** A device's configuration: as wanted and as reported, its changes, and the way back. */
import type { DeviceConfig, DeviceConfigVersion } from '../../../../sdk/schema.ts'
import { useDraft } from '../../api/draft.ts'
import { useChange, useList, useResource } from '../../api/hooks.ts'
import { jsonFaultOf, jsonObjectOf } from '../../api/json-object.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Diff } from '../../kit/Diff.tsx'
import { DraftForm } from '../../kit/DraftForm.tsx'
import { TextArea } from '../../kit/Field.tsx'
import { Columns, Facts, Panel, Stack } from '../../kit/Layout.tsx'
import { Empty, Note, Pending } from '../../kit/Note.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Json, Time, Token } from '../../kit/Text.tsx'
import { Who } from '../../session/Who.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { reportLabel } from './device-labels.tsx'
import { ofDevice, type SectionProps } from './of-device.ts'
import { rich, t } from './translations.ts'

/** As many as are kept. */
const VERSIONS = 100
const REFRESHES = ['getDeviceConfig', 'listDeviceConfigVersions', 'getDevice'] as const

const inText = (value: unknown): string => JSON.stringify(value, null, 2)

interface EditorProps extends Pick<SectionProps, 'device'> {
  config: DeviceConfig
  etag: string | undefined
}

/** The value of a text as JSON, or the text itself. */
const shown = ({ text }: { text: string }): unknown => jsonObjectOf(text) ?? text

/** Edits the device's own configuration; changes by others meanwhile are not overwritten. */
function Editor({ device, config, etag }: EditorProps) {
  const draft = useDraft({ text: inText(config.config) }, etag)
  const save = useChange('replaceDeviceConfig', REFRESHES)
  const blocked = useBlocked('replaceDeviceConfig')
  const value = jsonObjectOf(draft.value.text)
  const fault = jsonFaultOf(draft.value.text)
  const params = ofDevice(device)
  useNextCall('replaceDeviceConfig', { params, body: { config: value ?? {} } })
  const publish = (): void => {
    if (value === undefined) return
    save.mutate(
      { params, body: { config: value }, etag: draft.etag },
      {
        onSuccess: ({ version }) => {
          draft.drop()
          say(t('Configuration published'), t('Version {version}', { version }))
        },
      },
    )
  }
  return (
    <Panel title={t('Own configuration')}>
      <DraftForm
        draft={draft}
        shown={shown}
        problem={save.error}
        busy={save.isPending}
        blocked={blocked ?? fault}
        act={t('Publish')}
        onSave={publish}
        onReset={save.reset}
      >
        <TextArea
          label={t('Values that differ from the template')}
          mono
          rows={10}
          pointer="/config"
          value={draft.value.text}
          onValue={(text) => draft.change({ text })}
          error={fault}
        />
        {draft.isChanged && value !== undefined && save.error?.code !== 'precondition_failed' && (
          <Diff before={shown(draft.base)} after={shown(draft.value)} />
        )}
      </DraftForm>
    </Panel>
  )
}

/** As the timeline has it: a failure is never green. */
function toneOf({ error, status, is_present }: NonNullable<DeviceConfig['reported']>): BadgeTone {
  if (error !== null || status === 'failed') return 'bad'
  return is_present ? 'ok' : 'warn'
}

function Reported({ config, device }: Pick<SectionProps, 'device'> & { config: DeviceConfig }) {
  const { slug } = useWorkspace()
  const { reported } = config
  if (reported === null) {
    return (
      <Empty title={t('Nothing reported')}>
        {rich('The device tells on {topic} which version it has applied.', {
          topic: <Token>{`${slug}/${device.device_key}/config/status`}</Token>,
        })}
      </Empty>
    )
  }
  return (
    <Facts
      facts={[
        [
          t('Status'),
          <Badge key="status" tone={toneOf(reported)}>
            {reported.is_present
              ? reportLabel(reported.status)
              : t('{status}, of an earlier version', { status: reportLabel(reported.status) })}
          </Badge>,
        ],
        [t('Version'), reported.version ?? t('unknown')],
        [t('Error'), reported.error ?? undefined],
        [t('Reported'), <Time key="at" at={reported.reported_at} />],
      ]}
    />
  )
}

interface RollBackProps extends EditorProps {
  version: DeviceConfigVersion
  onClose: () => void
}

/** The changes of going back to a version; people with the right can do so. */
function RollBack({ device, version, config, etag, onClose }: RollBackProps) {
  const change = useChange('rollBackDeviceConfig', REFRESHES)
  const blocked = useBlocked('rollBackDeviceConfig')
  const input = { params: ofDevice(device), body: { version: version.version } }
  useNextCall('rollBackDeviceConfig', input)
  return (
    <ConfirmDialog
      title={t('Back to version {version}?', { version: version.version })}
      act={t('Go back')}
      kind="primary"
      blocked={blocked}
      busy={change.isPending}
      problem={change.error}
      onConfirm={() => change.mutate({ ...input, etag }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Diff before={config.config} after={version.config} />
    </ConfirmDialog>
  )
}

function History(props: EditorProps) {
  const { device } = props
  const [{ version: asked }, setState] = useSearchState<{ version: string }>()
  const input = { params: ofDevice(device), query: { limit: VERSIONS } }
  const list = useList('listDeviceConfigVersions', input)
  const named = list.items?.find(({ version }) => String(version) === asked)
  const isGone = asked !== undefined && list.items !== undefined && named === undefined
  const newest = list.items?.[0]?.version
  // The newest is the present one: there is nothing to go back to.
  const chosen = named?.version === newest ? undefined : named
  const close = (): void => setState({ version: undefined })
  const columns: readonly Column<DeviceConfigVersion>[] = [
    { name: t('Version'), saysName: true, cell: ({ version }) => version },
    { name: t('Changed'), cell: ({ changed_at }) => <Time at={changed_at} /> },
    {
      name: t('By'),
      cell: ({ changed_by }) => (changed_by === null ? t('Registration') : <Who id={changed_by} />),
    },
    {
      name: t('Acts'),
      hidesName: true,
      number: true,
      stays: true,
      cell: ({ version }) =>
        version === newest ? (
          t('current')
        ) : (
          <Button kind="quiet" onClick={() => setState({ version: String(version) })}>
            {t('Compare')}
          </Button>
        ),
    },
  ]
  return (
    <Panel title={t('Versions')} flush>
      {isGone && (
        <Note
          tone="warn"
          title={t('Version {version} is not kept', { version: asked })}
          action={
            <Button kind="quiet" onClick={close}>
              {t('Dismiss')}
            </Button>
          }
        >
          {t('The last {n} versions are kept.', { n: VERSIONS })}
        </Note>
      )}
      <Table
        label={t('Versions')}
        columns={columns}
        list={list}
        keyOf={({ version }) => String(version)}
        empty={
          <Empty title={t('No versions yet')}>
            {t('Each change of the configuration is kept.')}
          </Empty>
        }
      />
      {chosen !== undefined && <RollBack {...props} version={chosen} onClose={close} />}
    </Panel>
  )
}

export function Configuration({ device }: SectionProps) {
  const query = useResource('getDeviceConfig', { params: ofDevice(device) }, { isLive: true })
  if (query.data === undefined) return <Pending query={query} of={t('The configuration')} />
  const { body: config, etag } = query.data
  return (
    <Columns wideFirst>
      <Stack>
        <Editor device={device} config={config} etag={etag} />
        <History device={device} config={config} etag={etag} />
      </Stack>
      <Stack>
        <Panel title={t('What the device reports')}>
          <Reported config={config} device={device} />
        </Panel>
        <Panel
          title={t('What it gets')}
          aside={t('version {version}', { version: config.version })}
        >
          <Json value={config.effective_config} label={t('Effective configuration')} />
        </Panel>
      </Stack>
    </Columns>
  )
}
