/** The operation on endpoints. */
import { operation } from '../../context.ts'
import { answer, idParam } from '../../http/operation.ts'
import { listEndpoints } from './endpoints.ts'
import { EndpointList } from './schema.ts'

export const mqttEndpointOperations = [
  operation({
    id: 'listEndpoints',
    method: 'GET',
    path: '/workspaces/:id/mqtt/endpoints',
    tag: 'MQTT',
    summary: 'List where MQTT clients connect',
    description:
      'The embedded broker and the external ones, with hosts, ports and protocols, and how soon a revoke is true on each.',
    access: ['user', 'platform-key'],
    permission: 'mqtt.read',
    params: { id: idParam('ws', 'workspace_not_found') },
    returns: { 200: EndpointList },
    fails: [],
    run: (context) => Promise.resolve(answer(200, { items: listEndpoints(context) })),
  }),
]
