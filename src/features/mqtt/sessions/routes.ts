/** The operations on live connections. */
import { operationGroup } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import { disconnectConnection, getConnection, listConnections } from './connection.ts'
import { disconnectConnections } from './connection-disconnect.ts'
import { ConnectionView, DisconnectFilter, DisconnectResult, ListConnections } from './schema.ts'

const operation = operationGroup({ tag: 'MQTT', access: ['user', 'platform-key'] })

const path = '/workspaces/:id/mqtt/connections'

export const mqttConnectionOperations = [
  operation({
    id: 'listConnections',
    route: `GET ${path}`,
    summary: 'List live connections',
    description:
      'The sessions on the embedded brokers of all processes, newest first. The list shows new and ended sessions about half a second later, or seconds later while the database is busy. A failed process counts as dead 15 seconds after its last sign of life; its sessions are then removed, for which the others look every five seconds.',
    permission: 'mqtt.read',
    isPlanFree: true,
    query: ListConnections,
    returns: { 200: Page(ConnectionView) },
    run: (context, { query }) => listConnections(context, query),
  }),
  operation({
    id: 'getConnection',
    route: `GET ${path}/:connection_id`,
    summary: 'Get a live connection',
    permission: 'mqtt.read',
    isPlanFree: true,
    returns: { 200: ConnectionView },
    fails: ['mqtt_connection_not_found'],
    run: (context, { params }) => getConnection(context, params.connection_id),
  }),
  operation({
    id: 'cutConnection',
    route: `DELETE ${path}/:connection_id`,
    summary: 'End a live connection',
    description:
      'The session ends within a second, whichever process holds it, and the stored session of its client id is deleted. The client can connect again at once. To refuse it, suspend it or reset its credentials.',
    permission: 'mqtt.secure',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['mqtt_connection_not_found'],
    run: (context, { params }) => disconnectConnection(context, params.connection_id),
  }),
  operation({
    id: 'cutConnections',
    route: `POST ${path}/disconnect`,
    summary: 'End live connections',
    description:
      'Ends the current sessions that match a filter, or the named sessions. With a filter, up to 1,000 sessions end at once and the rest in the background. Clients that reconnect meanwhile are not affected. The receipt reports when each process has ended its sessions; it does not cover the sessions that end in the background.',
    permission: 'mqtt.secure',
    bucket: 'safety',
    body: DisconnectFilter,
    returns: { 202: DisconnectResult },
    example: { filter: 'address = 203.0.113.7 AND protocol = "3.1"' },
    run: (context, { body }) => disconnectConnections(context, body),
  }),
]
