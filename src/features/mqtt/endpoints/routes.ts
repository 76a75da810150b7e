/** The operation that lists MQTT endpoints. */
import type { Services } from '../../../context.ts'
import { operationOf } from '../../../platform/http/operation.ts'
import { type EndpointServices, listEndpoints } from './endpoints.ts'
import { EndpointList } from './schema.ts'

const operation = operationOf<Services & EndpointServices>()

export const mqttEndpointOperations = [
  operation({
    id: 'listEndpoints',
    route: 'GET /workspaces/:id/mqtt/endpoints',
    tag: 'MQTT',
    summary: 'List MQTT endpoints',
    description:
      'The embedded broker and the external brokers, with hosts, ports and protocols, and how soon a revocation takes effect on each.',
    access: ['user', 'platform-key'],
    permission: 'mqtt.read',
    returns: { 200: EndpointList },
    run: async (context) => ({ items: await listEndpoints(context) }),
  }),
]
