/** Schemas of phones' MQTT logins. */
import Type, { type Static } from 'typebox'
import { Id, Timestamp } from '../../common/shapes.ts'

export const CreateMoidMqttCredentials = Type.Object({
  workspace_id: Type.Optional(
    Id('ws', 'Whose devices; needed in a global session. One login is good for one workspace.'),
  ),
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 900,
      maximum: 86_400,
      description:
        'Seconds that it is good for; an hour, if nothing is said. At most until the session ends.',
    }),
  ),
})
export type CreateMoidMqttCredentials = Static<typeof CreateMoidMqttCredentials>

export const MoidMqttCredentials = Type.Object(
  {
    workspace_id: Id('ws'),
    mqtt_host: Type.String(),
    mqtt_port: Type.Integer(),
    mqtt_tls: Type.Boolean(),
    mqtt_username: Id('mqm', 'Also the client id; further ones have `:` and a suffix.'),
    mqtt_password: Type.String({ description: 'Shown in this answer only.' }),
    expires_at: Timestamp,
    devices: Type.Array(
      Type.Object({
        device_id: Id('dev'),
        topic_prefix: Type.String({ description: 'What the topics of the device begin with.' }),
      }),
      { description: 'Which it is good for now; the 100 that were claimed last at most.' },
    ),
  },
  { title: 'MoidMqttCredentials' },
)
export type MoidMqttCredentials = Static<typeof MoidMqttCredentials>
