/** The end of a template; its devices move to another one. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { DeviceCount } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Count } from '../../kit/Counts.tsx'
import { Select } from '../../kit/Field.tsx'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Pending } from '../../kit/Note.tsx'
import { countText } from '../../kit/numbers.ts'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { filterOf } from './Devices.tsx'
import { ofTemplate, type TemplateProps } from './TemplatePage.tsx'
import { t } from './translations.ts'

type DeleteProps = Pick<TemplateProps, 'template'> & { onClose: () => void }

/** The service moves this many devices with a template that it deletes. */
const MAX_MOVED = 10_000

/** The facts that the dialog needs: how many devices there are, and where they can go. */
function useMove(templateId: string) {
  const { id } = useWorkspace()
  const query = { filter: filterOf(templateId) }
  const count = useRead('countDevices', { params: { id }, query })
  const templates = useRead('listDeviceTemplates', { params: { id }, query: { limit: 100 } })
  const targets = templates.data?.items.filter((each) => each.id !== templateId)
  return { count, templates, targets }
}

type Move = ReturnType<typeof useMove>

/** Why it cannot be deleted, whatever is filled in. */
function blockedBy({ count: { data: count }, targets }: Move): string | undefined {
  if (count === undefined) return t('Its devices are not counted yet.')
  if (count.value === 0) return undefined
  if (targets === undefined) return t('The templates are not known.')
  if (targets.length === 0) {
    return t(
      'It is the only template. Create another one for its devices, or delete the devices first.',
    )
  }
  return count.is_lower_bound && count.value >= MAX_MOVED
    ? t('These are too many to move at once. Move them to another template with a job first.')
    : undefined
}

const hasOne = ({ value, is_lower_bound }: DeviceCount): boolean => value === 1 && !is_lower_bound

function actOf(count: DeviceCount | undefined): string {
  if (count === undefined || count.value === 0) return t('Delete')
  return hasOne(count)
    ? t('Move 1 device and delete')
    : t('Move {n} devices and delete', { n: countText(count) })
}

interface TargetProps {
  count: DeviceCount
  targets: NonNullable<Move['targets']>
  value: string
  onValue: (id: string) => void
}

const Target = ({ count, targets, value, onValue }: TargetProps) => (
  <Select
    label={
      hasOne(count)
        ? t('Move its device to')
        : t('Move its {n} devices to', { n: countText(count) })
    }
    hint={t('The rules and the default configuration of that template apply at once.')}
    value={value}
    options={[
      { value: '', label: t('Choose a template') },
      ...targets.map((each) => ({ value: each.id, label: each.name })),
    ]}
    onValue={onValue}
  />
)

export function DeleteTemplate({ template, onClose }: DeleteProps) {
  const { slug } = useWorkspace()
  const navigate = useNavigate()
  const [target, setTarget] = useState('')
  const remove = useChange('deleteDeviceTemplate', ['listDevices'])
  const input = {
    params: ofTemplate(template),
    query: target === '' ? {} : { move_to: target },
  }
  useNextCall('deleteDeviceTemplate', input)
  const move = useMove(template.id)
  const { count, templates, targets = [] } = move
  const blocked = blockedBy(move)
  const isKnown = count.data !== undefined && templates.data !== undefined
  const mustMove = count.data !== undefined && count.data.value > 0
  const confirm = (): void =>
    remove.mutate(input, {
      onSuccess: () => {
        say(t('Deleted: {name}', template))
        void navigate({ to: below(slug, 'templates') })
      },
    })
  const unread = [count, mustMove ? templates : count].find(({ error }) => error !== null)
  return (
    <ConfirmDialog
      title={t('Delete {name}?', template)}
      act={actOf(count.data)}
      blocked={blocked}
      missing={mustMove && target === '' ? t('Choose where its devices go.') : undefined}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={confirm}
      onClose={onClose}
      {...(!(isKnown && blocked) && { typed: template.model_key })}
    >
      <Stack>
        <p>{t('Its rules, its default configuration and its versions are deleted permanently.')}</p>
        <Facts facts={[[t('Devices of this template'), <Count key="devices" {...count} />]]} />
        {unread !== undefined && (
          <Pending query={unread} of={unread === count ? t('Devices') : t('Templates')} />
        )}
        {mustMove && count.data !== undefined && blocked === undefined && (
          <Target count={count.data} targets={targets} value={target} onValue={setTarget} />
        )}
      </Stack>
    </ConfirmDialog>
  )
}
