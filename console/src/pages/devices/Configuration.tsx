/** A device's configuration: what is wanted, what it reports, what changed, and the way back. */
import { useState } from 'react'
import type { DeviceConfig, DeviceConfigVersion } from '../../../../sdk/schema.ts'
import { useChange, useList, useResource } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Diff } from '../../kit/Diff.tsx'
import { Form, FormActions, TextArea } from '../../kit/Field.tsx'
import { Columns, Facts, Panel, Stack } from '../../kit/Layout.tsx'
import { Empty, Pending } from '../../kit/Note.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Id, Json, Time } from '../../kit/Text.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { parseObject } from './Commands.tsx'
import { ofDevice, type SectionProps } from './DevicePage.tsx'

const LIVE_MS = 3_000
const REFRESHES = ['getDeviceConfig', 'listDeviceConfigVersions', 'getDevice'] as const

const inText = (value: unknown): string => JSON.stringify(value, null, 2)

interface EditorProps extends Pick<SectionProps, 'device'> {
  config: DeviceConfig
  etag: string | undefined
}

/** Edits the device's own configuration; what others change meanwhile is not overwritten. */
function Editor({ device, config, etag }: EditorProps) {
  const [base, setBase] = useState({ value: config.config, etag })
  const [text, setText] = useState(inText(config.config))
  const save = useChange('replaceDeviceConfig', REFRESHES)
  const blocked = useBlocked('replaceDeviceConfig')
  const value = parseObject(text)
  const params = ofDevice(device)
  useNextCall('replaceDeviceConfig', { params, body: { config: value ?? {} } })
  const isChanged = value !== undefined && inText(value) !== inText(base.value)
  const isOutdated = save.error?.code === 'precondition_failed'
  const submit = (): void => {
    if (value === undefined) return
    save.mutate(
      { params, body: { config: value }, etag: base.etag },
      {
        onSuccess: (saved) => {
          say('Configuration published', `Version ${saved.version}`)
          setBase({ value, etag: undefined })
        },
      },
    )
  }
  return (
    <Panel title="Own configuration">
      <Form onSubmit={submit} problem={save.error}>
        {isOutdated && (
          <>
            <p>Somebody else has changed it. From theirs to yours:</p>
            <Diff before={config.config} after={value ?? {}} />
            <Button onClick={() => setBase({ value: config.config, etag })}>
              Save mine over theirs
            </Button>
          </>
        )}
        <TextArea
          label="Members that differ from the template's"
          mono
          rows={10}
          pointer="/config"
          value={text}
          onValue={setText}
          error={value === undefined ? 'This is no JSON object.' : undefined}
        />
        {isChanged && !isOutdated && <Diff before={base.value} after={value} />}
        <FormActions>
          <Button
            type="submit"
            kind="primary"
            busy={save.isPending}
            blocked={blocked ?? (isChanged ? undefined : 'Nothing is changed.')}
          >
            Publish
          </Button>
        </FormActions>
      </Form>
    </Panel>
  )
}

function Reported({ config }: { config: DeviceConfig }) {
  const { reported } = config
  if (reported === null) {
    return (
      <Empty title="Nothing reported">
        A device tells on its topic config/status which version it has applied.
      </Empty>
    )
  }
  return (
    <Facts
      facts={[
        [
          'Status',
          <Badge key="status" tone={reported.is_present ? 'ok' : 'warn'}>
            {reported.status}
            {reported.is_present ? '' : ', of an earlier version'}
          </Badge>,
        ],
        ['Version', reported.version ?? 'unknown'],
        ['Error', reported.error ?? undefined],
        ['Reported', <Time key="at" at={reported.reported_at} />],
      ]}
    />
  )
}

interface RollBackProps extends Pick<SectionProps, 'device'> {
  version: DeviceConfigVersion
  present: unknown
  onClose: () => void
}

function RollBack({ device, version, present, onClose }: RollBackProps) {
  const change = useChange('rollBackDeviceConfig', REFRESHES)
  const input = { params: ofDevice(device), body: { version: version.version } }
  useNextCall('rollBackDeviceConfig', input)
  return (
    <ConfirmDialog
      title={`Back to version ${version.version}?`}
      act="Go back"
      kind="primary"
      busy={change.isPending}
      problem={change.error}
      onConfirm={() => change.mutate(input, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Diff before={present} after={version.config} />
    </ConfirmDialog>
  )
}

function History({ device, present }: Pick<SectionProps, 'device'> & { present: unknown }) {
  const list = useList('listDeviceConfigVersions', { params: ofDevice(device) })
  const [chosen, setChosen] = useState<DeviceConfigVersion | null>(null)
  const blocked = useBlocked('rollBackDeviceConfig')
  const columns: readonly Column<DeviceConfigVersion>[] = [
    { name: 'Version', cell: ({ version }) => version },
    { name: 'Changed', cell: ({ changed_at }) => <Time at={changed_at} /> },
    { name: 'By', cell: ({ changed_by }) => (changed_by === null ? '–' : <Id>{changed_by}</Id>) },
    {
      name: 'Acts',
      hidesName: true,
      cell: (version) => (
        <Button kind="quiet" blocked={blocked} onClick={() => setChosen(version)}>
          Compare
        </Button>
      ),
    },
  ]
  return (
    <Panel title="Versions" flush>
      <Table
        label="Versions"
        columns={columns}
        list={list}
        keyOf={({ version }) => String(version)}
        empty={<Empty title="No versions yet">Each change of the configuration is kept.</Empty>}
      />
      {chosen !== null && (
        <RollBack
          device={device}
          version={chosen}
          present={present}
          onClose={() => setChosen(null)}
        />
      )}
    </Panel>
  )
}

export function Configuration({ device }: SectionProps) {
  const query = useResource(
    'getDeviceConfig',
    { params: ofDevice(device) },
    { refetchInterval: LIVE_MS },
  )
  if (query.data === undefined) return <Pending query={query} />
  const { body: config, etag } = query.data
  return (
    <Columns wideFirst>
      <Stack>
        <Editor device={device} config={config} etag={etag} />
        <History device={device} present={config.config} />
      </Stack>
      <Stack>
        <Panel title="What the device reports">
          <Reported config={config} />
        </Panel>
        <Panel title="What it gets" aside={`version ${config.version}`}>
          <Json value={config.effective_config} label="Effective configuration" />
        </Panel>
      </Stack>
    </Columns>
  )
}
