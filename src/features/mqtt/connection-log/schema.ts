/** Schemas of the connection log. */
import Type, { type Static } from 'typebox'
import { ConnectionAttempt } from '../../common/connection-attempt.ts'
import { Integer, NamedObject, Text, Timestamp } from '../../common/shapes.ts'

export const ConnectionLog = Type.Object({ items: Type.Array(ConnectionAttempt) })
export type ConnectionLog = Static<typeof ConnectionLog>

export const ListRefusals = Type.Object({
  hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 168,
      description: 'The number of hours before the current time. Default: 24.',
    }),
  ),
})
export type ListRefusals = Static<typeof ListRefusals>

const RefusedClient = Type.Object({
  principal_id: Text('The id of the device (`dev_…`) or login (`mqp_…`).'),
  attempts: Type.Integer(),
  last_at: Timestamp,
  client_id: Text('The value of the last refused attempt.'),
  address: Text('The value of the last refused attempt.'),
})

const Refusal = Type.Object({
  reason: Text('The reason, with the values of the connection log of a device.'),
  clients: Integer('The number of devices and logins that were refused for this reason.'),
  attempts: Type.Integer(),
  last_at: Timestamp,
  latest: Type.Array(RefusedClient, {
    description: 'The clients with the latest attempts, at most five, the latest first.',
  }),
})

export const Refusals = NamedObject('MqttRefusals', {
  hours: Type.Integer(),
  items: Type.Array(Refusal, {
    description:
      'The most frequent reason first. At most the newest 10,000 entries of the connection logs are counted.',
  }),
})
export type Refusals = Static<typeof Refusals>
