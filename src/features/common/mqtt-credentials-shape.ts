/** The `mqtt_credentials` of a response, the same for devices and MQTT principals. */
import Type, { type Static } from 'typebox'
import { Text } from './shapes.ts'

const same = (name: string) => `The same as \`${name}\`.`

/** The `mqtt_…` members are named as in the responses of provisioning. */
export const MqttCredentials = Type.Object(
  {
    mqtt_username: Text('The id of the device or principal.'),
    mqtt_password: Type.String(),
    mqtt_host: Type.String(),
    mqtt_port: Type.Integer(),
    mqtt_tls: Type.Boolean(),
    username: Type.String({ description: same('mqtt_username') }),
    password: Type.String({ description: same('mqtt_password') }),
    client_id: Text('Further connections append `:` and a suffix of their own.'),
    host: Type.String({ description: same('mqtt_host') }),
    port: Type.Integer({ description: same('mqtt_port') }),
    tls: Type.Boolean({ description: same('mqtt_tls') }),
    topic_prefix: Text(
      'The prefix of the topics of the device; for a principal, the first level of every topic that its rules can contain.',
    ),
  },
  { description: 'Returned only in this response.' },
)
export type MqttCredentials = Static<typeof MqttCredentials>

export const mqttCredentialsOf = (
  { host, port, tls }: { host: string; port: number; tls: boolean },
  login: { username: string; password: string; topicPrefix: string },
): MqttCredentials => {
  const { username, password, topicPrefix } = login
  return {
    mqtt_username: username,
    mqtt_password: password,
    mqtt_host: host,
    mqtt_port: port,
    mqtt_tls: tls,
    username,
    password,
    client_id: username,
    host,
    port,
    tls,
    topic_prefix: topicPrefix,
  }
}
