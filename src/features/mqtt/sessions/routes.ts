/** The operations on live connections. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import { disconnectConnection, getConnection, listConnections } from './connection.ts'
import { disconnectConnections } from './connection-disconnect.ts'
import { ConnectionView, DisconnectFilter, DisconnectResult, ListConnections } from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'MQTT'
const path = '/workspaces/:id/mqtt/connections'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const connection = {
  ...workspace,
  connection_id: idParam('con', 'mqtt_connection_not_found'),
}

export const mqttConnectionOperations = [
  operation({
    id: 'listConnections',
    method: 'GET',
    path,
    tag,
    summary: 'List live connections',
    description:
      'The sessions on the embedded brokers of all processes, newest first. The list shows new and ended sessions about half a second later, or seconds later while the database is busy. Sessions of a failed process disappear within 20 seconds.',
    access,
    permission: 'mqtt.read',
    isPlanFree: true,
    params: workspace,
    query: ListConnections,
    returns: { 200: Page(ConnectionView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listConnections(context, query)),
  }),
  operation({
    id: 'getConnection',
    method: 'GET',
    path: `${path}/:connection_id`,
    tag,
    summary: 'Get a live connection',
    access,
    permission: 'mqtt.read',
    isPlanFree: true,
    params: connection,
    returns: { 200: ConnectionView },
    fails: ['mqtt_connection_not_found'],
    run: async (context, { params }) =>
      respond(200, await getConnection(context, params.connection_id)),
  }),
  operation({
    id: 'cutConnection',
    method: 'DELETE',
    path: `${path}/:connection_id`,
    tag,
    summary: 'End a live connection',
    description:
      'The session ends within a second, whichever process holds it, and the stored session of its client id is deleted. The client can connect again at once. To refuse it, suspend it or reset its credentials.',
    access,
    permission: 'mqtt.secure',
    bucket: 'safety',
    params: connection,
    returns: { 204: null },
    fails: ['mqtt_connection_not_found'],
    async run(context, { params }) {
      await disconnectConnection(context, params.connection_id)
      return respond(204, null)
    },
  }),
  operation({
    id: 'cutConnections',
    method: 'POST',
    path: `${path}/disconnect`,
    tag,
    summary: 'End live connections by filter',
    description:
      'Ends the current sessions that match. Up to 1,000 are ended at once, the rest in the background. Clients that reconnect meanwhile are not affected.',
    access,
    permission: 'mqtt.secure',
    bucket: 'safety',
    params: workspace,
    body: DisconnectFilter,
    returns: { 202: DisconnectResult },
    fails: [],
    example: { filter: 'address = 203.0.113.7 AND protocol = "3.1"' },
    run: async (context, { body }) => respond(202, await disconnectConnections(context, body)),
  }),
]
