/** The operation that lists MQTT endpoints. */
import type { Services } from '../../../context.ts'
import { respond, idParam, operationOf } from '../../../platform/http/operation.ts'
import { type EndpointServices, listEndpoints } from './endpoints.ts'
import { EndpointList } from './schema.ts'

const operation = operationOf<Services & EndpointServices>()

export const mqttEndpointOperations = [
  operation({
    id: 'listEndpoints',
    method: 'GET',
    path: '/workspaces/:id/mqtt/endpoints',
    tag: 'MQTT',
    summary: 'List MQTT endpoints',
    description:
      'The embedded broker and the external brokers, with hosts, ports and protocols, and how soon a revocation takes effect on each.',
    access: ['user', 'platform-key'],
    permission: 'mqtt.read',
    params: { id: idParam('ws', 'workspace_not_found') },
    returns: { 200: EndpointList },
    fails: [],
    run: async (context) => respond(200, { items: await listEndpoints(context) }),
  }),
]
