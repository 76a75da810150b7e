/** The end of a template; its devices move to another one. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { DevicesCounted } from '../../kit/Counts.tsx'
import { Select } from '../../kit/Field.tsx'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Pending } from '../../kit/Note.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { ofTemplate, type TemplateProps } from './TemplatePage.tsx'
import { t } from './words.ts'

type DeleteProps = Pick<TemplateProps, 'template'> & { onClose: () => void }

export function DeleteTemplate({ template, onClose }: DeleteProps) {
  const { id, slug } = useWorkspace()
  const navigate = useNavigate()
  const [target, setTarget] = useState('')
  const others = useRead('listDeviceTemplates', { params: { id }, query: { limit: 100 } })
  const remove = useChange('deleteDeviceTemplate', ['listDevices'])
  const input = {
    params: ofTemplate(template),
    query: target === '' ? {} : { move_to: target },
  }
  useNextCall('deleteDeviceTemplate', input)
  const options = (others.data?.items ?? [])
    .filter((each) => each.id !== template.id)
    .map((each) => ({ value: each.id, label: each.name }))
  const confirm = (): void =>
    remove.mutate(input, {
      onSuccess: () => {
        say(t('Deleted: {name}', template))
        void navigate({ to: below(slug, 'templates') })
      },
    })
  return (
    <ConfirmDialog
      title={t('Delete {name}?', template)}
      act={t('Delete')}
      typed={template.model_key}
      blocked={others.data === undefined ? t('The templates are not known.') : undefined}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack>
        <p>
          {t(
            'Its rules, its default configuration and its versions are deleted. A template that has devices can be deleted only if they move to another one.',
          )}
        </p>
        <Facts
          facts={[
            [
              t('Devices of this template'),
              <DevicesCounted key="devices" filter={`template_id = ${template.id}`} />,
            ],
          ]}
        />
        {others.data === undefined ? (
          <Pending query={others} of={t('Templates')} />
        ) : (
          <Select
            label={t('Its devices')}
            value={target}
            options={[{ value: '', label: t('it has none') }, ...options]}
            onValue={setTarget}
          />
        )}
      </Stack>
    </ConfirmDialog>
  )
}
