/** Where MQTT clients connect, and the proof that a revocation has taken effect there. */
import type { BrokerEndpoints } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Facts, Panel, Stack } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { CopyButton } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { Receipt } from './Receipt.tsx'

type Endpoint = BrokerEndpoints['endpoints'][number]

const protocols: Readonly<Record<Endpoint['protocol'], string>> = {
  mqtt: 'MQTT, not encrypted',
  mqtts: 'MQTT over TLS',
  ws: 'WebSocket, not encrypted',
  wss: 'WebSocket over TLS',
}

const isEncrypted = ({ protocol }: Endpoint): boolean => protocol === 'mqtts' || protocol === 'wss'

const columns: readonly Column<Endpoint>[] = [
  {
    name: 'Protocol',
    cell: (each) => (
      <Badge tone={isEncrypted(each) ? 'ok' : 'warn'}>{protocols[each.protocol]}</Badge>
    ),
  },
  { name: 'Host', cell: ({ host }) => <code>{host}</code> },
  { name: 'Port', cell: ({ port }) => <code>{port}</code> },
  { name: 'Path', cell: ({ path }) => <code>{path ?? '–'}</code> },
  { name: 'Address', wraps: true, cell: ({ url }) => <code>{url}</code> },
  { name: 'Copy', hidesName: true, number: true, cell: ({ url }) => <CopyButton text={url} /> },
]

const boundInWords = ({ revoke_bound_s: bound }: BrokerEndpoints): string =>
  bound === null ? 'unknown: the service cannot observe it' : `${bound} s at most`

function Broker({ broker }: { broker: BrokerEndpoints }) {
  const query = { data: { items: broker.endpoints }, error: null, refetch: () => undefined }
  return (
    <Panel
      title={broker.broker === 'embedded' ? 'The broker of the service' : broker.broker}
      aside={<Badge plain>{broker.kind}</Badge>}
      flush
    >
      <Table
        label={`Addresses of ${broker.broker}`}
        columns={columns}
        list={listOf(query)}
        keyOf={({ url }) => url}
        empty={null}
      />
    </Panel>
  )
}

const Login = ({ slug }: { slug: string }) => (
  <Panel title="How a device signs in">
    <Facts
      facts={[
        ['User name', 'its id, dev_…'],
        ['Password', 'its MQTT password, mqp_…'],
        ['Client id', 'its id or its key; further connections append “:” and a suffix'],
        ['Topics', <code key="topics">{`${slug}/{device_key}/…`}</code>],
      ]}
    />
  </Panel>
)

export default function EndpointList() {
  const { id, slug } = useWorkspace()
  const query = useRead('listEndpoints', { params: { id } })
  const brokers = query.data?.items
  return (
    <Page title="Endpoints">
      {brokers === undefined ? (
        <Pending query={query} />
      ) : (
        <Stack>
          {brokers.map((broker) => (
            <Broker key={broker.broker} broker={broker} />
          ))}
          <Login slug={slug} />
          <Receipt
            bounds={brokers.map((broker) => [broker.broker, boundInWords(broker)] as const)}
          />
        </Stack>
      )}
    </Page>
  )
}
