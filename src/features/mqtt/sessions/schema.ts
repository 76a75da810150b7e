/** Shapes of live connections. */
import Type, { type Static } from 'typebox'
import { FILTER_LIMITS } from '../../../platform/lib/filter-grammar.ts'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { Flag, Id, Integer, NamedObject, Text, Timestamp } from '../../common/shapes.ts'

const transports = ['tcp', 'tls', 'ws', 'wss'] as const
const protocols = ['3.1', '3.1.1', '5'] as const
type Protocol = (typeof protocols)[number]

/** @param version the protocol level of the CONNECT */
export const protocolOf = (version: number): Protocol =>
  version === 3 ? '3.1' : version === 5 ? '5' : '3.1.1'

export const ConnectionView = NamedObject('Connection', {
  id: Id('con'),
  workspace_id: Id('ws'),
  principal_id: Text('The id of the device (`dev_…`) or principal (`mqp_…`).'),
  client_id: Type.String(),
  address: Text('The IP address of the client.'),
  transport: Type.Enum([...transports]),
  protocol: Type.Enum([...protocols], { description: 'The version of MQTT.' }),
  credential_version: Integer(
    'The generation of the secret that the client used; a higher number is newer.',
  ),
  node: Text('The process that holds the session, named as in receipts.'),
  connected_at: Timestamp,
})
export type ConnectionView = Static<typeof ConnectionView>

export const connectionFields: ListFields = {
  principal_id: { type: 'text' },
  client_id: { type: 'text' },
  address: { type: 'text' },
  node: { type: 'text' },
  transport: { type: 'word', words: transports },
  protocol: { type: 'word', words: protocols },
  connected_at: { type: 'time' },
}

export const ListConnections = Type.Object({ ...pageQuery, filter: FilterText(connectionFields) })
export type ListConnections = Static<typeof ListConnections>

/** Connections that one request can name. */
const MAX_NAMED = 200

/** Exactly one of the two. */
export const DisconnectFilter = Type.Object({
  filter: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: FILTER_LIMITS.length,
      description: `The sessions to end: comparisons of the fields ${Object.keys(connectionFields)
        .map((name) => `\`${name}\``)
        .join(', ')} with AND, OR, NOT and parentheses.`,
    }),
  ),
  connection_ids: Type.Optional(
    Type.Array(Id('con'), {
      minItems: 1,
      maxItems: MAX_NAMED,
      uniqueItems: true,
      description:
        'The sessions to end, instead of a filter. Sessions that have ended are skipped.',
    }),
  ),
})
export type DisconnectFilter = Static<typeof DisconnectFilter>

export const DisconnectResult = NamedObject('EndedConnections', {
  cut: Integer('The number of sessions ended so far.'),
  complete: Flag('False if there are too many sessions and the rest ends in the background.'),
  receipt_id: Id(
    'rcp',
    'The receipt in which each process reports that it has ended its sessions.',
  ),
})
export type DisconnectResult = Static<typeof DisconnectResult>
