/** An invitation: to which workspace, as what, by whom; and joining it. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Result } from '../../api/client.ts'
import { call } from '../../api/client.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { Button } from '../../kit/Button.tsx'
import { Form } from '../../kit/Field.tsx'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { Note, Pending } from '../../kit/Note.tsx'
import { Time } from '../../kit/Text.tsx'
import { clearSession } from '../../session/leaving.ts'
import { roleNames } from '../../session/role-names.ts'
import { acceptSession, refreshSession } from '../../session/session.ts'
import { useSession } from '../../session/use-session.ts'
import { SignInForms } from '../sign-in/SignIn.tsx'
import { Incomplete, LinkPage } from './LinkPage.tsx'
import { NameAndPassword } from './NameAndPassword.tsx'
import { t } from './translations.ts'

type Seen = Result<'lookAtInvitation'>

interface JoinProps {
  token: string
  seen: Seen
}

/** Opens the workspace that has just been joined. */
function useEntrance(): (workspaceId: string) => Promise<void> {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (workspaceId) => {
    // The roles of a session are in its access token.
    await refreshSession()
    await client.invalidateQueries()
    const { items } = await call('listWorkspaces', { query: { limit: 200 } })
    const slug = items.find(({ id }) => id === workspaceId)?.slug
    await navigate({ to: slug === undefined ? '/workspaces' : `/w/${slug}` })
  }
}

/** For somebody without an account: the invitation proves the address. */
function Join({ token, seen }: JoinProps) {
  const join = useChange('joinByInvitation')
  const enter = useEntrance()
  const submit = (person: { name: string; password: string }): void =>
    join.mutate(
      { body: { token, ...person } },
      {
        onSuccess: ({ workspace_id, ...session }) => {
          acceptSession(session)
          void enter(workspace_id)
        },
      },
    )
  return (
    <NameAndPassword
      act={t('Join {workspace}', { workspace: seen.workspace_name })}
      email={seen.email}
      busy={join.isPending}
      problem={join.error}
      onSubmit={submit}
    />
  )
}

/** For somebody who is signed in. */
function Accept({ token, seen }: JoinProps) {
  const me = useRead('getMe')
  const accept = useChange('acceptInvitation')
  const enter = useEntrance()
  if (me.data === undefined) return <Pending query={me} of={t('Your account')} />
  if (me.data.email !== seen.email) return <Other present={me.data.email} invited={seen.email} />
  const submit = (): void =>
    accept.mutate({ body: { token } }, { onSuccess: (made) => void enter(made.workspace_id) })
  return (
    <Form onSubmit={submit} problem={accept.error}>
      <Button type="submit" kind="primary" wide busy={accept.isPending}>
        {t('Join {workspace}', { workspace: seen.workspace_name })}
      </Button>
    </Form>
  )
}

function Other({ present, invited }: { present: string; invited: string }) {
  const [isBusy, setBusy] = useState(false)
  const client = useQueryClient()
  const leave = async (): Promise<void> => {
    setBusy(true)
    await call('closeConsoleSession').catch(() => null)
    clearSession(client)
  }
  return (
    <Stack>
      <Note tone="warn" title={t('You are signed in as {email}.', { email: present })}>
        {t('The invitation is for {email}.', { email: invited })}
      </Note>
      <Button wide busy={isBusy} onClick={() => void leave()}>
        {t('Sign out')}
      </Button>
    </Stack>
  )
}

function Choice({ token, seen }: JoinProps) {
  const { status } = useSession()
  if (status === 'in') return <Accept token={token} seen={seen} />
  if (!seen.has_account) return <Join token={token} seen={seen} />
  return (
    <Stack>
      <p>{t('You have an account. Sign in, then join.')}</p>
      <SignInForms email={seen.email} onDone={() => {}} />
    </Stack>
  )
}

function Invited({ token }: { token: string }) {
  const preview = useRead('lookAtInvitation', { body: { token } })
  const seen = preview.data
  if (preview.error?.code === 'invitation_not_found') {
    return (
      <Note
        tone="warn"
        title={t('This invitation was used or withdrawn, has expired, or has a newer link.')}
      >
        {t('Ask the person who invited you for a new one.')}
      </Note>
    )
  }
  if (seen === undefined) return <Pending query={preview} of={t('The invitation')} />
  return (
    <>
      <Facts
        facts={[
          [t('Workspace'), <b key="name">{seen.workspace_name}</b>],
          [t('Your role'), roleNames[seen.role]],
          [t('Invited by'), seen.invited_by ?? undefined],
          [t('Ends'), <Time key="end" at={seen.expires_at} />],
        ]}
      />
      <Choice token={token} seen={seen} />
    </>
  )
}

export default function Invitation() {
  return (
    <LinkPage
      title={t('Invitation')}
      missing={
        <Incomplete>
          {t(
            'Go back to the message with the link and open it from there, or ask the person who invited you for a new one.',
          )}
        </Incomplete>
      }
    >
      {(token) => <Invited key={token} token={token} />}
    </LinkPage>
  )
}
