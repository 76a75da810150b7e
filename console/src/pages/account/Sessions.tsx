/** Where one is signed in. */
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Session } from '../../../../sdk/schema.ts'
import { call } from '../../api/client.ts'
import { useChange, useList } from '../../api/hooks.ts'
import { problemOf, type Problem } from '../../api/problem.ts'
import { useButtonCall, useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Panel, Row, Small } from '../../kit/Layout.tsx'
import { Empty, ProblemNote } from '../../kit/Note.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { AccountPage } from './AccountPage.tsx'
import { deviceOf } from './user-agent.ts'
import { counted, rich, t } from './translations.ts'

function EndButton({ session }: { session: Session }) {
  const end = useChange('endSession', ['listSessions'])
  const input = { params: { session_id: session.id } }
  const act = (): void => end.mutate(input, { onSuccess: () => say(t('The session has ended')) })
  const preview = useButtonCall('endSession', input)
  return (
    <>
      <Button
        busy={end.isPending}
        aria-label={t('End the session of {device}', { device: deviceOf(session.user_agent) })}
        onClick={act}
        {...preview}
      >
        {t('End')}
      </Button>
      {end.error !== null && <ProblemNote problem={end.error} />}
    </>
  )
}

const columns: readonly Column<Session>[] = [
  {
    name: t('Where'),
    cell: ({ user_agent, current }) => (
      <Row>
        {deviceOf(user_agent)}
        {current && <Badge tone="ok">{t('this browser')}</Badge>}
      </Row>
    ),
  },
  { name: t('Address'), cell: ({ address }) => <code>{address}</code> },
  {
    name: t('Signed in with'),
    cell: ({ mfa }) => (mfa ? t('Two factors') : t('Password')),
  },
  { name: t('Signed in'), cell: ({ created_at }) => <Time at={created_at} /> },
  { name: t('Last active'), cell: ({ refreshed_at }) => <Time at={refreshed_at} /> },
  { name: t('Ends'), cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    name: t('End'),
    hidesName: true,
    number: true,
    stays: true,
    cell: (session) => !session.current && <EndButton session={session} />,
  },
]

interface EndOthersProps {
  others: readonly Session[]
  onClose: () => void
}

function EndOthers({ others, onClose }: EndOthersProps) {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  // One of the calls: there is one for each session.
  useNextCall('endSession', { params: { session_id: others[0]?.id ?? '' } })
  const act = async (): Promise<void> => {
    setBusy(true)
    try {
      await Promise.all(others.map(({ id }) => call('endSession', { params: { session_id: id } })))
      say(counted(others.length, '{n} session has ended', '{n} sessions have ended'))
      onClose()
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      setBusy(false)
      await client.invalidateQueries({ queryKey: ['listSessions'] })
    }
  }
  return (
    <ConfirmDialog
      title={t('End all other sessions?')}
      act={counted(others.length, 'End {n} session', 'End {n} sessions')}
      busy={isBusy}
      problem={problem}
      onConfirm={() => void act()}
      onClose={onClose}
    >
      {counted(
        others.length,
        'One session ends now: its browser or device has to sign in again. This browser stays signed in.',
        '{n} sessions end now: their browsers and devices have to sign in again. This browser stays signed in.',
      )}
    </ConfirmDialog>
  )
}

export default function Sessions() {
  const list = useList('listSessions', { query: { limit: 100 } })
  const [isEnding, setEnding] = useState(false)
  const others = (list.items ?? []).filter(({ current }) => !current)
  const missing =
    list.items === undefined ? t('The sessions are not read.') : t('There is no other session.')
  const none = others.length === 0 ? missing : undefined
  return (
    <AccountPage
      title={t('Sessions')}
      actions={
        <Button blocked={none} onClick={() => setEnding(true)}>
          {t('End all others…')}
        </Button>
      }
    >
      <Panel flush>
        <Table
          label={t('Sessions')}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          empty={<Empty title={t('No session')}>{t('Each sign-in opens one.')}</Empty>}
        />
      </Panel>
      <Small>
        {rich('A session that you do not know? End it, then change your password under {page}.', {
          page: <Link to="/account/security">{t('Security')}</Link>,
        })}
      </Small>
      {isEnding && <EndOthers others={others} onClose={() => setEnding(false)} />}
    </AccountPage>
  )
}
