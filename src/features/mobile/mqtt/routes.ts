/** The operation that creates MQTT logins of phones. */
import { operation } from '../../../context.ts'
import { createMqttLogin } from './mqtt-login.ts'
import { CreateMoidMqttCredentials, MoidMqttCredentials } from './schema.ts'

export const moidMqttOperations = [
  operation({
    id: 'createMoidMqttCredentials',
    route: 'POST /moid/mqtt-credentials',
    tag: 'Mobile identity',
    summary: 'Get a short-lived MQTT login',
    description:
      'For the devices that the identity has claimed in one workspace: the login can subscribe to their messages and send them commands. Released and suspended devices become inaccessible, and claimed devices accessible, also in live sessions. The login ends with the last device, with the session, or when it expires. At most five logins per workspace are valid at a time; another one ends the oldest.',
    access: ['moid'],
    body: CreateMoidMqttCredentials,
    returns: { 201: MoidMqttCredentials },
    fails: ['workspace_not_found', 'no_claimed_devices'],
    example: { workspace_id: 'ws_01k0a2b3c4d5e6f7g8h9j0kmnp', expires_in: 3600 },
    run: (context, { body }) => createMqttLogin(context, body),
  }),
]
