/** Schemas of MQTT endpoints. */
import Type, { type Static } from 'typebox'
import { Flag, NamedObject, Nullable, Text } from '../../common/shapes.ts'

const Endpoint = Type.Object({
  protocol: Type.Enum(['mqtt', 'mqtts', 'ws', 'wss'], {
    description: 'TCP, TLS, WebSocket, and WebSocket with TLS.',
  }),
  host: Type.String(),
  port: Type.Integer(),
  path: Nullable(Type.String(), 'Path of the WebSocket.'),
  url: Type.String(),
})

const BrokerEndpoints = NamedObject('BrokerEndpoints', {
  broker: Text('`embedded`, or the name of an external broker.'),
  kind: Type.String(),
  revoke_bound_s: Nullable(
    Type.Integer(),
    'Seconds within which the service verifies that a revocation has taken effect on this broker. Null if it cannot verify that.',
  ),
  keeps_passwords: Flag(
    'Whether the broker keeps passwords itself and does not ask the service. Such a broker stores only the newest password of each client, and does not report its use.',
  ),
  endpoints: Type.Array(Endpoint),
})
export type BrokerEndpoints = Static<typeof BrokerEndpoints>

export const EndpointList = Type.Object({ items: Type.Array(BrokerEndpoints) })
export type EndpointList = Static<typeof EndpointList>
