/** Operations on MQTT principals. */
import { operationGroup } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import {
  createMqttPrincipal,
  deleteMqttPrincipal,
  getMqttPrincipal,
  listMqttPrincipals,
  updateMqttPrincipal,
} from './mqtt-principal.ts'
import * as schema from './schema.ts'

const operation = operationGroup({ tag: 'MQTT', access: ['user', 'platform-key'] })

export const mqttPrincipalOperations = [
  operation({
    id: 'createMqttPrincipal',
    route: 'POST /workspaces/:id/mqtt/principals',
    summary: 'Create an MQTT principal',
    description:
      'A login for a client that is not a device: a backend, a dashboard, a bridge. It can connect at once, but can only publish and subscribe as its rules allow. The password is returned only once.',
    permission: 'mqtt.write',
    body: schema.CreateMqttPrincipal,
    returns: { 201: schema.CreatedMqttPrincipal },
    fails: ['mqtt_principal_name_taken', 'limit_reached'],
    example: { name: 'Billing', description: 'Reads the meters.' },
    created: { location: '/workspaces/{workspace_id}/mqtt/principals/{id}', revision: 1 },
    run: (context, { body }) => createMqttPrincipal(context, body),
  }),
  operation({
    id: 'listMqttPrincipals',
    route: 'GET /workspaces/:id/mqtt/principals',
    summary: 'List MQTT principals',
    description: 'Newest first.',
    permission: 'mqtt.read',
    isPlanFree: true,
    query: schema.PrincipalPage,
    returns: { 200: Page(schema.MqttPrincipalView) },
    run: (context, { query }) => listMqttPrincipals(context, query),
  }),
  operation({
    id: 'getMqttPrincipal',
    route: 'GET /workspaces/:id/mqtt/principals/:principal_id',
    summary: 'Get an MQTT principal',
    permission: 'mqtt.read',
    isPlanFree: true,
    returns: { 200: schema.MqttPrincipalView },
    fails: ['mqtt_principal_not_found'],
    run: (context, { params }) => getMqttPrincipal(context, params.principal_id),
  }),
  operation({
    id: 'updateMqttPrincipal',
    route: 'PATCH /workspaces/:id/mqtt/principals/:principal_id',
    summary: 'Change an MQTT principal',
    description:
      'Only members in the body change; null removes the expiry. A new expiry takes effect in every process within a second, also for live sessions.',
    permission: 'mqtt.write',
    isPlanFree: true,
    body: schema.UpdateMqttPrincipal,
    returns: { 200: schema.MqttPrincipalView },
    fails: ['mqtt_principal_not_found', 'mqtt_principal_name_taken', 'precondition_failed'],
    example: { description: 'Reads the meters, and the alarms.', expires_at: null },
    run: (context, { params, body }) => updateMqttPrincipal(context, params.principal_id, body),
  }),
  operation({
    id: 'deleteMqttPrincipal',
    route: 'DELETE /workspaces/:id/mqtt/principals/:principal_id',
    summary: 'Delete an MQTT principal',
    description: 'Its sessions end within a second, and its retained messages are deleted.',
    permission: 'mqtt.write',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['mqtt_principal_not_found', 'precondition_failed'],
    run: (context, { params }) => deleteMqttPrincipal(context, params.principal_id),
  }),
]
