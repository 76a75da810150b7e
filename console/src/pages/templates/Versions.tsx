/** The versions of a template: what each changed, and the way back. */
import { useState } from 'react'
import type { DeviceTemplate, TemplateVersionSummary } from '../../../../sdk/schema.ts'
import { useChange, useList, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Diff } from '../../kit/Diff.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { Empty, Pending, ProblemNote } from '../../kit/Note.tsx'
import { Dialog, say } from '../../kit/Overlay.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { Who } from '../../session/Who.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { Effect } from './Effect.tsx'
import { ofTemplate, REFRESHES, type TemplateProps } from './TemplatePage.tsx'

/** The members in which a version differs from the template as it is, on both sides. */
function differences(template: DeviceTemplate, fields: object) {
  const present = new Map<string, unknown>(Object.entries(template))
  const changed = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(present.get(name)),
  )
  return {
    before: Object.fromEntries(changed.map(([name]) => [name, present.get(name)])),
    after: Object.fromEntries(changed) as Record<string, unknown>,
  }
}

interface CompareProps extends TemplateProps {
  version: number
  onClose: () => void
}

function Compare({ template, etag, version, onClose }: CompareProps) {
  const params = ofTemplate(template)
  const blocked = useBlocked('rollBackDeviceTemplate')
  const query = useRead('getTemplateVersion', { params: { ...params, version } })
  const body = { version }
  const effect = useRead(
    'rollBackDeviceTemplate',
    { params, body, query: { dry_run: true } },
    { enabled: blocked === undefined },
  )
  const change = useChange('rollBackDeviceTemplate', REFRESHES)
  useNextCall('rollBackDeviceTemplate', { params, body })
  const rollBack = (): void =>
    change.mutate(
      { params, body, etag },
      {
        onSuccess: () => {
          say(`Back to version ${version}`, 'As a new version.')
          onClose()
        },
      },
    )
  return (
    <Dialog title={`From now to version ${version}`} open wide onClose={onClose}>
      <Stack>
        {change.error !== null && <ProblemNote problem={change.error} />}
        {query.data === undefined ? (
          <Pending query={query} />
        ) : (
          <Diff {...differences(template, query.data.fields)} />
        )}
        {effect.data && <Effect effect={effect.data.effect} />}
        {effect.error !== null && <ProblemNote problem={effect.error} />}
        <FormActions>
          <Button
            kind="primary"
            busy={change.isPending}
            blocked={blocked ?? (effect.data ? undefined : 'Its effect is not known yet.')}
            onClick={rollBack}
          >
            Roll back
          </Button>
          <Button onClick={onClose}>Close</Button>
        </FormActions>
      </Stack>
    </Dialog>
  )
}

const memberNames: Readonly<Record<string, string>> = {
  default_config: 'default configuration',
  mqtt_acl: 'rules',
}
const memberName = (member: string): string => memberNames[member] ?? member.replaceAll('_', ' ')

export function Versions({ template, etag }: TemplateProps) {
  const list = useList('listTemplateVersions', { params: ofTemplate(template) })
  const [chosen, setChosen] = useState<number | null>(null)
  const newest = list.items?.[0]?.version
  const columns: readonly Column<TemplateVersionSummary>[] = [
    { name: 'Version', cell: ({ version }) => version },
    { name: 'Changed', cell: ({ at }) => <Time at={at} /> },
    { name: 'By', cell: ({ actor }) => <Who id={actor?.id ?? null} /> },
    {
      name: 'What',
      wraps: true,
      cell: ({ changed }) => changed.map(memberName).join(', ') || 'created',
    },
    {
      name: 'Acts',
      hidesName: true,
      number: true,
      stays: true,
      cell: ({ version }) =>
        version === newest ? (
          'present'
        ) : (
          <Button kind="quiet" onClick={() => setChosen(version)}>
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
        empty={<Empty title="No versions">Each change is kept.</Empty>}
      />
      {chosen !== null && (
        <Compare template={template} etag={etag} version={chosen} onClose={() => setChosen(null)} />
      )}
    </Panel>
  )
}
