/** Where MQTT clients connect, and the proof that a revocation has taken effect there. */
import type { BrokerEndpoints } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { LinkButton } from '../../kit/Button.tsx'
import { Facts, None, Panel, Stack } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { CopyButton } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { brokerName, EMBEDDED, productOf } from '../../session/broker-names.ts'
import { Receipt } from './Receipt.tsx'
import { t } from './translations.ts'

type Endpoint = BrokerEndpoints['endpoints'][number]

const protocols: Readonly<Record<Endpoint['protocol'], string>> = {
  mqtt: t('MQTT, not encrypted'),
  mqtts: t('MQTT over TLS'),
  ws: t('WebSocket, not encrypted'),
  wss: t('WebSocket over TLS'),
}

const isEncrypted = ({ protocol }: Endpoint): boolean => protocol === 'mqtts' || protocol === 'wss'

const columns: readonly Column<Endpoint>[] = [
  {
    name: t('Protocol'),
    cell: (each) => (
      <Badge tone={isEncrypted(each) ? 'ok' : 'warn'}>{protocols[each.protocol]}</Badge>
    ),
  },
  { name: t('Host'), cell: ({ host }) => <code>{host}</code> },
  { name: t('Port'), cell: ({ port }) => <code>{port}</code> },
  { name: t('Path'), cell: ({ path }) => (path === null ? <None /> : <code>{path}</code>) },
  { name: t('Address'), wraps: true, cell: ({ url }) => <code>{url}</code> },
  { name: t('Copy'), hidesName: true, number: true, cell: ({ url }) => <CopyButton text={url} /> },
]

const boundInWords = ({ revoke_bound_s: bound }: BrokerEndpoints): string =>
  bound === null ? t('unknown: the service cannot observe it') : t('{bound} s at most', { bound })

function Broker({ broker }: { broker: BrokerEndpoints }) {
  const query = { data: { items: broker.endpoints }, error: null, refetch: () => undefined }
  return (
    <Panel
      title={brokerName(broker.broker)}
      aside={broker.kind === EMBEDDED ? undefined : <Badge plain>{productOf(broker.kind)}</Badge>}
      flush
    >
      <Table
        label={brokerName(broker.broker)}
        columns={columns}
        list={listOf(query)}
        keyOf={({ url }) => url}
        empty={null}
      />
    </Panel>
  )
}

const SECOND = t('For a second connection at the same time append “:2”, for a third “:3”.')

const DeviceSignIn = ({ slug }: { slug: string }) => (
  <Panel
    title={t('How a device signs in')}
    aside={<LinkButton to={below(slug, 'devices/new')}>{t('Connect a device')}</LinkButton>}
  >
    <Facts
      facts={[
        [t('User name'), t('its id (starts with dev_)')],
        [t('Password'), t('its MQTT password, shown once when it is created or reset')],
        [
          t('Client id'),
          <>
            {t('its id or its key.')} {SECOND}
          </>,
        ],
        [t('Topics'), <code key="topics">{`${slug}/{device_key}/…`}</code>],
      ]}
    />
  </Panel>
)

const ProgramSignIn = ({ slug }: { slug: string }) => (
  <Panel
    title={t('How a program signs in')}
    aside={<LinkButton to={below(slug, 'logins')}>{t('MQTT logins')}</LinkButton>}
  >
    <Facts
      facts={[
        [t('User name'), t('the id of an MQTT login (starts with mqp_)')],
        [t('Password'), t('that of the login, shown once when it is created or rotated')],
        [
          t('Client id'),
          <>
            {t('its user name.')} {SECOND}
          </>,
        ],
        [t('Topics'), t('those of its rules')],
      ]}
    />
  </Panel>
)

export default function EndpointList() {
  const { id, slug } = useWorkspace()
  const query = useRead('listEndpoints', { params: { id } })
  const brokers = query.data?.items
  return (
    <Page title={t('Endpoints')} about={t('Where devices and programs connect, and how.')}>
      {brokers === undefined ? (
        <Pending query={query} of={t('Endpoints')} />
      ) : (
        <Stack>
          {brokers.map((broker) => (
            <Broker key={broker.broker} broker={broker} />
          ))}
          <DeviceSignIn slug={slug} />
          <ProgramSignIn slug={slug} />
          <Receipt
            bounds={brokers.map(
              (broker) => [brokerName(broker.broker), boundInWords(broker)] as const,
            )}
          />
        </Stack>
      )}
    </Page>
  )
}
