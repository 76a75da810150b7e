/** Schemas of phones' MQTT logins. */
import Type, { type Static } from 'typebox'
import { Id, NamedObject, Text, Timestamp } from '../../common/shapes.ts'

export const CreateMoidMqttCredentials = Type.Object({
  workspace_id: Type.Optional(
    Id(
      'ws',
      'The workspace of the devices. Required in a global session. A login is valid for one ' +
        'workspace.',
    ),
  ),
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 900,
      maximum: 86_400,
      description: 'Lifetime in seconds. Default: one hour. Ends with the session at the latest.',
    }),
  ),
})
export type CreateMoidMqttCredentials = Static<typeof CreateMoidMqttCredentials>

export const MoidMqttCredentials = NamedObject('MoidMqttCredentials', {
  workspace_id: Id('ws'),
  mqtt_host: Type.String(),
  mqtt_port: Type.Integer(),
  mqtt_tls: Type.Boolean(),
  mqtt_username: Id('mqm', 'Also the client id. Further connections append `:` and a suffix.'),
  mqtt_password: Text('Returned only in this response.'),
  expires_at: Timestamp,
  devices: Type.Array(
    Type.Object({
      device_id: Id('dev'),
      topic_prefix: Text('The prefix of the topics of the device.'),
    }),
    {
      description: 'The devices that the login can currently access; at most the 100 claimed last.',
    },
  ),
})
export type MoidMqttCredentials = Static<typeof MoidMqttCredentials>
