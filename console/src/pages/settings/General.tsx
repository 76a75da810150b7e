/** Name, slug, whether members need a second factor, and whether MQTT sessions are stored. */
import { useNavigate } from '@tanstack/react-router'
import type { UpdateWorkspace } from '../../../../sdk/schema.ts'
import type { Result } from '../../api/client.ts'
import { useDraft } from '../../api/draft.ts'
import { useChange, useRead, useResource } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { DraftForm } from '../../kit/DraftForm.tsx'
import { Checkbox, TextField } from '../../kit/Field.tsx'
import { Panel } from '../../kit/Layout.tsx'
import { Note, Pending } from '../../kit/Note.tsx'
import { say } from '../../kit/Overlay.tsx'
import { below } from '../../kit/navigation.tsx'
import { useConfig } from '../../session/config.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { t } from './translations.ts'

/** The members that differ. */
function changesOf<Value extends object>(base: Value, value: Value): Partial<Value> {
  const old = Object.values(base)
  return Object.fromEntries(
    Object.entries(value).filter(([, each], at) => each !== old[at]),
  ) as Partial<Value>
}

function useSettings() {
  const present = useWorkspace()
  const navigate = useNavigate()
  const query = useResource('getWorkspace', { params: { id: present.id } })
  const { data } = query
  const { name, slug, mfa_required, mqtt_durable } = data?.body ?? present
  const draft = useDraft({ name, slug, mfa_required, mqtt_durable }, data?.etag)
  const save = useChange('updateWorkspace', ['getWorkspace', 'listWorkspaces'])
  const body: UpdateWorkspace = changesOf(draft.base, draft.value)
  const params = { id: present.id }
  useNextCall('updateWorkspace', { params, body })
  const submit = (): void =>
    save.mutate(
      { params, body, etag: draft.etag },
      {
        onSuccess: (saved) => {
          draft.drop()
          say(t('Saved'))
          if (saved.slug !== slug) {
            void navigate({ to: below(saved.slug, 'settings'), ignoreBlocker: true })
          }
        },
      },
    )
  return { query, draft, save, submit, slug }
}

const durableHints: Readonly<Record<Result<'getConsoleConfig'>['mqtt_durable'], string>> = {
  workspaces: t(
    'The embedded broker stores sessions, queued and retained messages in the database, from the next connection of each client.',
  ),
  off: t('The operator of this installation has not allowed this (MOORING_MQTT_DURABLE).'),
  all: t('The operator of this installation has switched this on for all (MOORING_MQTT_DURABLE).'),
}

/** @param devices whose number says whether the slug can be changed */
function SlugHint({ data, error }: ReturnType<typeof useRead<'countDevices'>>) {
  if (error !== null)
    return t(
      'It can be changed only while there are no devices, and their number could not be read.',
    )
  if (data === undefined) return t('The first level of all topics of the workspace.')
  return data.value > 0
    ? t(
        'The first level of all topics of the workspace. It cannot change any more, because there are devices.',
      )
    : t(
        'The first level of all topics of the workspace, and part of the address of this page. It is fixed once there is a device.',
      )
}

export function General() {
  const { id, role } = useWorkspace()
  const { query, draft, save, submit, slug } = useSettings()
  const { value } = draft
  const devices = useRead('countDevices', { params: { id } })
  const isFixed = devices.data === undefined || devices.data.value > 0
  const blocked = useBlocked('updateWorkspace')
  const durable = useConfig().data?.mqtt_durable ?? 'workspaces'
  // Without its version, a change could overwrite that of somebody else.
  if (query.data === undefined) {
    return (
      <Panel title={t('General')}>
        <Pending query={query} of={t('The settings')} />
      </Panel>
    )
  }
  return (
    <Panel title={t('General')}>
      {devices.error !== null && (
        <Pending query={devices} of={t('The number of devices')} isAbove />
      )}
      <DraftForm
        draft={draft}
        problem={save.error}
        busy={save.isPending}
        blocked={blocked}
        onSave={submit}
        onReset={save.reset}
      >
        <TextField
          label={t('Name')}
          pointer="/name"
          value={value.name}
          onValue={(name) => draft.change({ name })}
        />
        <TextField
          label={t('Slug')}
          hint={<SlugHint {...devices} />}
          pointer="/slug"
          mono
          readOnly={isFixed}
          value={value.slug}
          onValue={(next) => draft.change({ slug: next })}
        />
        {value.slug !== slug && (
          <Note tone="warn" title={t('All MQTT sessions of the workspace end.')}>
            {t('Programs that use topics below {slug}/ need the new slug.', { slug })}
          </Note>
        )}
        <Checkbox
          label={t('Members need a second factor')}
          hint={
            role === 'owner'
              ? t(
                  'Members without one reach the workspace again only once they have set up an authenticator or a passkey. API keys need none.',
                )
              : t('Only owners can change this.')
          }
          pointer="/mfa_required"
          disabled={role !== 'owner'}
          checked={value.mfa_required}
          onValue={(isRequired) => draft.change({ mfa_required: isRequired })}
        />
        <Checkbox
          label={t('MQTT sessions survive a restart')}
          hint={durableHints[durable]}
          pointer="/mqtt_durable"
          disabled={durable === 'all' || (durable === 'off' && !value.mqtt_durable)}
          checked={durable === 'all' || value.mqtt_durable}
          onValue={(isDurable) => draft.change({ mqtt_durable: isDurable })}
        />
      </DraftForm>
    </Panel>
  )
}
