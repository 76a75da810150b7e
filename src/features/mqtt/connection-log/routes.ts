/** Operations on the connection log. */
import { operation } from '../../../context.ts'
import { readConnectionLog } from './connection-log.ts'
import { ConnectionLog } from './schema.ts'

export const connectionLogOperations = [
  operation({
    id: 'getConnectionLog',
    route: 'GET /workspaces/:id/devices/:device_id/connection-log',
    tag: 'Devices',
    summary: 'Get the connection log of a device',
    description:
      'The last 50 attempts, newest first, with the reason of each refusal. Attempts appear within a few seconds. Attempts with an unknown device name are not stored.',
    access: ['user', 'platform-key'],
    permission: 'devices.read',
    returns: { 200: ConnectionLog },
    fails: ['device_not_found'],
    run: (context, { params }) => readConnectionLog(context, 'device', params.device_id),
  }),
  operation({
    id: 'getMqttPrincipalConnectionLog',
    route: 'GET /workspaces/:id/mqtt/principals/:principal_id/connection-log',
    tag: 'MQTT',
    summary: 'Get the connection log of an MQTT principal',
    description:
      'The last 50 attempts, newest first, with the reason of each refusal. Attempts appear within a few seconds.',
    access: ['user', 'platform-key'],
    permission: 'mqtt.read',
    returns: { 200: ConnectionLog },
    fails: ['mqtt_principal_not_found'],
    run: (context, { params }) => readConnectionLog(context, 'principal', params.principal_id),
  }),
]
