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
        ['Devices', `${devices}, disconnected and refused at once`],
        ['Templates', templates],
        ['API keys', `${keys}, refused at once`],
        ['Members', `${members}, who lose access at once`],
        ['Webhooks', webhooks],
        ['Domains', domains],
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
      <Dialog title={`${name} is deleted`} open stays onClose={onClose}>
        <p>
          The operator of this service can restore it until{' '}
          {exactTime(remove.data.deletion.erase_at)}. Then it is erased.
        </p>
        <FormActions>
          <Button
            kind="primary"
            onClick={() => void navigate({ to: '/workspaces', reloadDocument: true })}
          >
            Your workspaces
          </Button>
        </FormActions>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      act="Delete the workspace"
      typed={slug}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack>
        <p>This goes:</p>
        <WhatIsLost />
        <p>
          For 30 days the operator of this service can restore all of it. Then it is erased, also
          the history and the audit log, and the slug is free.
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
    <Panel title="Leave or delete">
      <Stack>
        <p>
          Leaving ends your access at once. Deleting ends the workspace for everybody: its devices,
          its keys and its people.
        </p>
        <FormActions>
          <Button onClick={() => setOpen('leave')}>Leave the workspace…</Button>
          <Button kind="danger" blocked={blocked} onClick={() => setOpen('delete')}>
            Delete the workspace…
          </Button>
        </FormActions>
      </Stack>
      {open === 'leave' && me && <LeaveWorkspace userId={me.id} onClose={close} />}
      {open === 'delete' && <DeleteWorkspace onClose={close} />}
    </Panel>
  )
}
