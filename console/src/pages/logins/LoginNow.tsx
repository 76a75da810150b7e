/** How a login connects, who uses it now, and its last attempts. */
import type { ConnectionAttempt, MqttPrincipal } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { LinkButton } from '../../kit/Button.tsx'
import { Columns, Facts, Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { explainDuration, explainRefusal } from '../devices/reasons.ts'
import { LoginAccess } from './LoginAccess.tsx'
import { ofLogin } from './login-labels.tsx'
import { t } from './translations.ts'

const LIVE_MS = 5_000

function lasting(attempt: ConnectionAttempt): string {
  if (attempt.accepted) return explainDuration(attempt)
  return explainRefusal(attempt.reason ?? '').todo ?? ''
}

function Result({ attempt }: { attempt: ConnectionAttempt }) {
  const { accepted, reason, attempts, session } = attempt
  if (accepted) return <Badge tone={session === 'open' ? 'ok' : 'off'}>{t('Accepted')}</Badge>
  return (
    <Badge tone="bad">
      {reason === null ? t('Refused') : explainRefusal(reason).what}
      {attempts > 1 && ` ×${attempts}`}
    </Badge>
  )
}

const columns: readonly Column<ConnectionAttempt>[] = [
  { name: t('When'), cell: ({ last_at }) => <Time at={last_at} /> },
  { name: t('Result'), cell: (attempt) => <Result attempt={attempt} /> },
  { name: t('From'), cell: ({ address }) => <code>{address}</code> },
  { name: t('Client id'), wraps: true, cell: ({ client_id }) => <code>{client_id}</code> },
  {
    name: t('Details'),
    nameIn: ({ accepted }) => (accepted ? t('Duration') : t('What to do')),
    wraps: true,
    cell: (attempt) => <Small>{lasting(attempt)}</Small>,
  },
]

export function LoginNow({ login }: { login: MqttPrincipal }) {
  const { slug } = useWorkspace()
  const params = ofLogin(login)
  const log = useRead('getMqttPrincipalConnectionLog', { params }, { refetchInterval: LIVE_MS })
  return (
    <Columns wideFirst lastAbove={login.last_connected_at === null}>
      <Panel
        title={t('Attempts, newest first')}
        aside={
          <LinkButton
            to={below(slug, 'connections')}
            search={{ filter: `principal_id = ${login.id}` }}
          >
            {t('See its connections')}
          </LinkButton>
        }
        flush
      >
        <Table
          label={t('Connection attempts')}
          columns={columns}
          list={listOf(log)}
          keyOf={({ at, client_id, address }) => `${at} ${client_id} ${address}`}
          empty={
            <Empty title={t('No attempt yet')}>
              {t('Each attempt to connect appears here, accepted or refused, with its reason.')}
            </Empty>
          }
        />
      </Panel>
      <Stack>
        <LoginAccess login={login} />
        <Panel title={t('Details')}>
          <Facts
            facts={[
              [t('Description'), login.description === '' ? undefined : login.description],
              [t('Last connection'), <Time key="last" at={login.last_connected_at} />],
              [
                t('Expires'),
                login.expires_at === null ? undefined : <Time at={login.expires_at} />,
              ],
              [t('Created'), <Time key="created" at={login.created_at} />],
              [t('Created by'), <Who key="by" id={login.created_by} />],
            ]}
          />
        </Panel>
      </Stack>
    </Columns>
  )
}
