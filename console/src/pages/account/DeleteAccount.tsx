/** The end of one's account. */
import { useState } from 'react'
import type { DeviceCount, Workspace } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { useReadEach } from '../../api/read-each.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Count, MAX_COUNT, ofPage } from '../../kit/Counts.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Facts, Panel, Row, Small, Stack } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { useLeaving } from '../../session/leaving.ts'
import { roleHolds, useWorkspaces } from '../../session/workspace.tsx'
import { keyName } from '../keys/key-labels.tsx'
import { t } from './translations.ts'

/** Workspaces that would have no owner left; none until it is known: the service decides. */
function useOnlyOwned(): readonly Workspace[] {
  const owned = (useWorkspaces().data?.items ?? []).filter(({ role }) => role === 'owner')
  const query = { filter: 'role = owner', limit: 2 }
  const owners = useReadEach(
    'listMembers',
    owned.map(({ id }) => ({ params: { id }, query })),
  )
  return owned.filter((_, index) => owners.each[index]?.items.length === 1)
}

interface Pages {
  data: readonly (Parameters<typeof ofPage>[0] | undefined)[] | undefined
  error: Problem | null
}

/** A workspace that is closed to the person may have more. */
const sumOf = ({ data: pages, error }: Pages) => ({
  error,
  data: pages?.map(ofPage).reduce<DeviceCount>(
    (sum, each) => ({
      value: sum.value + (each?.value ?? 0),
      is_lower_bound: sum.is_lower_bound || (each?.is_lower_bound ?? true),
    }),
    { value: 0, is_lower_bound: false },
  ),
})

const MAX_NAMES = 10

interface NamedProps extends Pages {
  /** By workspace, as the pages are. */
  names: readonly string[]
}

/** How many there are, and the first of them by name. */
function Named({ names, ...pages }: NamedProps) {
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return (
    <>
      <Count {...sumOf(pages)} />
      {shown !== '' && <Small>{` ${shown}${names.length > MAX_NAMES ? ' …' : ''}`}</Small>}
    </>
  )
}

/** The resources that the person has created in workspaces where their role lets them. */
function Created({ userId }: { userId: string }) {
  const places = (useWorkspaces().data?.items ?? []).filter(({ role }) =>
    roleHolds(role, 'api_keys.write'),
  )
  const query = { filter: `created_by = ${userId} AND status = active`, limit: MAX_COUNT }
  const inputs = places.map(({ id }) => ({ params: { id }, query }))
  const keys = useReadEach('listApiKeys', inputs)
  const logins = useReadEach('listMqttPrincipals', inputs)
  if (places.length === 0) return null
  const placed = (name: string, place: number): string => `${name} (${places[place]?.name})`
  const keyNames = keys.each.flatMap((page, place) =>
    (page?.items ?? []).map((each) => placed(keyName(each), place)),
  )
  const loginNames = logins.each.flatMap((page, place) =>
    (page?.items ?? []).map((each) => placed(each.name || each.id, place)),
  )
  return (
    <Facts
      facts={[
        [t('API keys revoked permanently'), <Named key="keys" {...keys} names={keyNames} />],
        [t('MQTT logins suspended'), <Named key="logins" {...logins} names={loginNames} />],
      ]}
    />
  )
}

interface AccountProps {
  id: string
  email: string
}

function Confirm({ id: userId, email, onClose }: AccountProps & { onClose: () => void }) {
  const remove = useChange('deleteAccount')
  const leave = useLeaving()
  const input = { body: { confirm: email } }
  useNextCall('deleteAccount', input)
  const alone = useOnlyOwned()
  const names = alone.map(({ name }) => name).join(', ')
  return (
    <ConfirmDialog
      title={t('Delete your account?')}
      act={t('Delete my account')}
      blocked={
        alone.length === 0
          ? undefined
          : t(
              'You are the only owner of {names}. Make somebody else an owner there, or delete the workspace.',
              { names },
            )
      }
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => remove.mutate(input, { onSuccess: () => void leave('/account-deleted') })}
      onClose={onClose}
      {...(alone.length === 0 && { typed: email })}
    >
      <Stack>
        <p>
          {t(
            'You are signed out everywhere and leave all workspaces. API keys that you have created there are revoked permanently, MQTT logins are suspended and webhooks disabled: colleagues who need them can remove you from the workspace first, and keep them.',
          )}
        </p>
        {alone.length === 0 && <Created userId={userId} />}
        <p>{t('Nobody can restore the account. The address can be used for another one.')}</p>
        {alone.length > 0 && (
          <Row>
            {alone.map(({ id, name, slug }) => (
              <LinkButton key={id} to={below(slug, 'people')}>
                {t('People of {name}', { name })}
              </LinkButton>
            ))}
          </Row>
        )}
      </Stack>
    </ConfirmDialog>
  )
}

export function DeleteAccount({ id, email }: AccountProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Panel title={t('Delete my account')}>
      <Stack>
        <p>
          {t(
            'Your name, address, password and sessions are erased. The audit logs of your workspaces keep what you did, under the id of a deleted account.',
          )}
        </p>
        <FormActions>
          <Button kind="danger" onClick={() => setOpen(true)}>
            {t('Delete my account…')}
          </Button>
        </FormActions>
      </Stack>
      {isOpen && <Confirm id={id} email={email} onClose={() => setOpen(false)} />}
    </Panel>
  )
}
