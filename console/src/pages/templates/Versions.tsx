/** The versions of a template: the changes of each, and the way back. */
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
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked } from '../../session/workspace.tsx'
import { Effect } from './Effect.tsx'
import { ofTemplate, REFRESHES, type TemplateProps } from './TemplatePage.tsx'
import { t } from './translations.ts'

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
  // A failure of one of them is one of both: it is said once, and both are tried again together.
  const both = {
    error: query.error,
    refetch: () => Promise.all([query.refetch(), effect.isError && effect.refetch()]),
  }
  const rollBack = (): void =>
    change.mutate(
      { params, body, etag },
      {
        onSuccess: () => {
          say(t('Back to version {version}', { version }), t('As a new version.'))
          onClose()
        },
      },
    )
  return (
    <Dialog title={t('From now to version {version}', { version })} open wide onClose={onClose}>
      <Stack>
        {change.error !== null && <ProblemNote problem={change.error} />}
        {query.data === undefined ? (
          <Pending query={both} of={t('The version')} />
        ) : (
          <>
            <Diff {...differences(template, query.data.fields)} />
            {effect.data && <Effect effect={effect.data.effect} />}
            {effect.error !== null && (
              <Pending query={effect} of={t('The effect of the roll-back')} />
            )}
          </>
        )}
        <FormActions>
          <Button
            kind="primary"
            busy={change.isPending}
            blocked={blocked ?? (effect.data ? undefined : t('Its effect is not known yet.'))}
            onClick={rollBack}
          >
            {t('Roll back')}
          </Button>
          <Button onClick={onClose}>{t('Close')}</Button>
        </FormActions>
      </Stack>
    </Dialog>
  )
}

const memberNames: Readonly<Record<string, string>> = {
  name: t('name'),
  description: t('description'),
  serial_format: t('format of device keys'),
  capabilities: t('capabilities'),
  capability_definitions: t('capability definitions'),
  default_config: t('default configuration'),
  mqtt_acl: t('rules'),
  rotation_overlap_s: t('rotation overlap'),
  firmware: t('firmware'),
}
const memberName = (member: string): string => memberNames[member] ?? member

export function Versions({ template, etag }: TemplateProps) {
  const list = useList('listTemplateVersions', { params: ofTemplate(template) })
  const [{ version: asked }, setState] = useSearchState<{ version: string }>()
  const newest = list.items?.[0]?.version
  // The newest is the present one. Another may be on a page that is not read yet.
  const isOld =
    newest !== undefined &&
    asked !== undefined &&
    /^[1-9]\d*$/.test(asked) &&
    Number(asked) < newest
  const columns: readonly Column<TemplateVersionSummary>[] = [
    { name: t('Version'), saysName: true, cell: ({ version }) => version },
    { name: t('Changed'), cell: ({ at }) => <Time at={at} /> },
    { name: t('By'), cell: ({ actor }) => <Who id={actor?.id ?? null} /> },
    {
      name: t('Change'),
      wraps: true,
      cell: ({ changed }) => changed.map(memberName).join(', ') || t('created'),
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
      <Table
        label={t('Versions')}
        columns={columns}
        list={list}
        keyOf={({ version }) => String(version)}
        empty={<Empty title={t('No versions')}>{t('Each change is kept.')}</Empty>}
      />
      {isOld && (
        <Compare
          template={template}
          etag={etag}
          version={Number(asked)}
          onClose={() => setState({ version: undefined })}
        />
      )}
    </Panel>
  )
}
