/** Operations on the connection log. */
import { operation } from '../../../context.ts'
import { listRefusals, readConnectionLog } from './connection-log.ts'
import { ConnectionLog, ListRefusals, Refusals } from './schema.ts'

export const connectionLogOperations = [
  operation({
    id: 'getConnectionLog',
    route: 'GET /workspaces/:id/devices/:device_id/connection-log',
    tag: 'Devices',
    summary: 'Get the connection log of a device',
    description:
      'The last 50 attempts, newest first, with the reason of each refusal. Attempts are written in batches, about every second. Attempts with an unknown device name are not stored.',
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
      'The last 50 attempts, newest first, with the reason of each refusal. Attempts are written in batches, about every second.',
    access: ['user', 'platform-key'],
    permission: 'mqtt.read',
    returns: { 200: ConnectionLog },
    fails: ['mqtt_principal_not_found'],
    run: (context, { params }) => readConnectionLog(context, 'principal', params.principal_id),
  }),
  operation({
    id: 'listMqttRefusals',
    route: 'GET /workspaces/:id/mqtt/refusals',
    tag: 'MQTT',
    summary: 'List refused connections by reason',
    description:
      'The refused attempts of all devices and logins of the workspace, grouped by reason, with the clients that tried last. Attempts are written in batches, about every second.',
    access: ['user', 'platform-key'],
    permission: 'mqtt.read',
    query: ListRefusals,
    returns: { 200: Refusals },
    run: (context, { query }) => listRefusals(context, query),
  }),
]
