/** Leaving the workspace, and deleting it with all that it holds. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { OperationId } from '../../api/client.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Facts, Panel, Stack } from '../../kit/Layout.tsx'
import { ConfirmDialog, Dialog } from '../../kit/Overlay.tsx'
import { exactTime } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { LeaveWorkspace } from '../people/RemoveMember.tsx'
import { t } from './words.ts'

const MOST_COUNTED = 200

/** How many there are of something; `200+` if there are more than a page. */
function useCount(id: OperationId): string {
  const workspace = useWorkspace()
  const input = { params: { id: workspace.id }, query: { limit: MOST_COUNTED } }
  const { data } = useRead(id, input as never)
  const page = data as { items: unknown[]; next_cursor?: string | null } | undefined
  if (page === undefined) return '…'
  return `${page.items.length}${page.next_cursor == null ? '' : '+'}`
}

function WhatIsLost() {
  const devices = useCount('listDevices')
  const templates = useCount('listDeviceTemplates')
  const keys = useCount('listApiKeys')
  const members = useCount('listMembers')
  const webhooks = useCount('listWebhooks')
  const domains = useCount('listDomains')
  return (
    <Facts
      facts={[
        [t('Devices'), t('{n}, disconnected and refused at once', { n: devices })],
        [t('Templates'), templates],
        [t('API keys'), t('{n}, refused at once', { n: keys })],
        [t('Members'), t('{n}, who lose access at once', { n: members })],
        [t('Webhooks'), webhooks],
        [t('Domains'), domains],
      ]}
    />
  )
}

function DeleteWorkspace({ onClose }: { onClose: () => void }) {
  const { id, name, slug } = useWorkspace()
  const navigate = useNavigate()
  const remove = useChange('deleteWorkspace')
  const input = { params: { id }, body: { confirm: slug } }
  useNextCall('deleteWorkspace', input)
  const confirm = (): void => remove.mutate(input)
  if (remove.data !== undefined) {
    return (
      <Dialog title={t('{name} is deleted', { name })} open stays onClose={onClose}>
        <p>
          {t('The operator of this service can restore it until {time}. Then it is erased.', {
            time: exactTime(remove.data.deletion.erase_at),
          })}
        </p>
        <FormActions>
          <Button
            kind="primary"
            onClick={() => void navigate({ to: '/workspaces', reloadDocument: true })}
          >
            {t('Your workspaces')}
          </Button>
        </FormActions>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={t('Delete {name}?', { name })}
      act={t('Delete the workspace')}
      typed={slug}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack>
        <p>{t('This goes:')}</p>
        <WhatIsLost />
        <p>
          {t(
            'For 30 days the operator of this service can restore all of it. Then it is erased, also the history and the audit log, and the slug is free.',
          )}
        </p>
      </Stack>
    </ConfirmDialog>
  )
}

export function Ending() {
  const { data: me } = useRead('getMe')
  const [open, setOpen] = useState<'leave' | 'delete' | null>(null)
  const blocked = useBlocked('deleteWorkspace')
  const close = (): void => setOpen(null)
  return (
    <Panel title={t('Leave or delete')}>
      <Stack>
        <p>
          {t(
            'Leaving ends your access at once. Deleting ends the workspace for everybody: its devices, its keys and its people.',
          )}
        </p>
        <FormActions>
          <Button onClick={() => setOpen('leave')}>{t('Leave the workspace…')}</Button>
          <Button kind="danger" blocked={blocked} onClick={() => setOpen('delete')}>
            {t('Delete the workspace…')}
          </Button>
        </FormActions>
      </Stack>
      {open === 'leave' && me && <LeaveWorkspace userId={me.id} onClose={close} />}
      {open === 'delete' && <DeleteWorkspace onClose={close} />}
    </Panel>
  )
}
