/** Leaving the workspace, and deleting it with all that it holds. */
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { OperationId } from '../../api/client.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Count, MAX_COUNT, ofPage } from '../../kit/Counts.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Facts, Panel, Stack } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { ConfirmDialog, Dialog } from '../../kit/Overlay.tsx'
import { exactTime } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { LeaveWorkspace } from '../people/RemoveMember.tsx'
import { rich, t } from './translations.ts'

/** How many there are of something; `200+` if there are more than a page. */
function useCount(id: OperationId, filter?: string) {
  const workspace = useWorkspace()
  const query = { limit: MAX_COUNT, ...(filter !== undefined && { filter }) }
  const input = { params: { id: workspace.id }, query }
  const { data, error, refetch } = useRead(id, input as never)
  return { data: ofPage(data), error, refetch }
}

/** The things that end with the workspace. */
function useLost() {
  const counts = {
    devices: useCount('listDevices'),
    templates: useCount('listDeviceTemplates'),
    groups: useCount('listDeviceGroups'),
    claims: useCount('listWorkspaceClaims', 'status = bound'),
    keys: useCount('listApiKeys', 'status = active'),
    logins: useCount('listMqttPrincipals'),
    members: useCount('listMembers'),
    webhooks: useCount('listWebhooks'),
    domains: useCount('listDomains'),
  }
  const unread = Object.values(counts).filter(({ data }) => data === undefined)
  return {
    counts,
    isKnown: unread.length === 0,
    error: unread.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => Promise.all(unread.map(({ refetch }) => refetch())),
  }
}

type Lost = ReturnType<typeof useLost>

/** Whether its plan costs something; not until that was read. */
function useIsCharged(): boolean {
  const { id } = useWorkspace()
  const plan = useRead('getSubscription', { params: { id } }).data?.plan
  return plan != null && (plan.base_amount > 0 || plan.prices.length > 0)
}

function WhatIsLost({ lost }: { lost: Lost }) {
  const isCharged = useIsCharged()
  const n = (of: keyof Lost['counts']): ReactNode => <Count key={of} {...lost.counts[of]} />
  return (
    <>
      <Facts
        facts={[
          [t('Devices'), rich('{n}, disconnected and refused at once', { n: n('devices') })],
          [
            t('Claims'),
            lost.counts.claims.data?.value === 0
              ? undefined
              : rich('{n}, whose phones lose their devices', { n: n('claims') }),
          ],
          [t('Templates'), n('templates')],
          [t('Groups'), n('groups')],
          [t('API keys'), rich('{n}, refused at once', { n: n('keys') })],
          [t('MQTT logins'), rich('{n}, disconnected and refused at once', { n: n('logins') })],
          [
            t('Members'),
            lost.counts.members.data?.value === 1
              ? t('only you')
              : rich('{n}, who lose access at once', { n: n('members') }),
          ],
          [t('Webhooks'), n('webhooks')],
          [t('Domains'), n('domains')],
          [
            t('Billing'),
            isCharged
              ? t('charged until the end of this hour; the last invoice comes within a week')
              : undefined,
          ],
        ]}
      />
      {lost.error !== null && <Pending query={lost} of={t('What would be lost')} />}
    </>
  )
}

function DeleteWorkspace({ onClose }: { onClose: () => void }) {
  const { id, name, slug } = useWorkspace()
  const navigate = useNavigate()
  const remove = useChange('deleteWorkspace')
  const input = { params: { id }, body: { confirm: slug } }
  useNextCall('deleteWorkspace', input)
  const confirm = (): void => remove.mutate(input)
  const lost = useLost()
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
      blocked={lost.isKnown ? undefined : t('What would be lost is not known.')}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack>
        <p>{t('What ends:')}</p>
        <WhatIsLost lost={lost} />
        <p>
          {t(
            'For 30 days the operator of this service can restore all of it. Then it is erased permanently, with the history and the audit log, and others may take the slug “{slug}”.',
            { slug },
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
