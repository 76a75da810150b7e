/** Operations on MQTT principals. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import {
  createMqttPrincipal,
  deleteMqttPrincipal,
  getMqttPrincipal,
  listMqttPrincipals,
  updateMqttPrincipal,
} from './mqtt-principal.ts'
import {
  CreatedMqttPrincipal,
  CreateMqttPrincipal,
  MqttPrincipalView,
  PrincipalPage,
  UpdateMqttPrincipal,
} from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'MQTT'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const principal = { ...workspace, principal_id: idParam('mqp', 'mqtt_principal_not_found') }

export const mqttPrincipalOperations = [
  operation({
    id: 'createMqttPrincipal',
    method: 'POST',
    path: '/workspaces/:id/mqtt/principals',
    tag,
    summary: 'Create an MQTT principal',
    description:
      'A login for a client that is not a device: a backend, a dashboard, a bridge. It can connect at once, but can only publish and subscribe as its rules allow. The password is returned only once.',
    access,
    permission: 'mqtt.write',
    params: workspace,
    body: CreateMqttPrincipal,
    returns: { 201: CreatedMqttPrincipal },
    fails: ['mqtt_principal_name_taken', 'limit_reached'],
    example: { name: 'Billing', description: 'Reads the meters.' },
    async run(context, { body }) {
      const created = await createMqttPrincipal(context, body)
      const location = `/workspaces/${created.workspace_id}/mqtt/principals/${created.id}`
      return respond(201, created, { location, revision: 1 })
    },
  }),
  operation({
    id: 'listMqttPrincipals',
    method: 'GET',
    path: '/workspaces/:id/mqtt/principals',
    tag,
    summary: 'List MQTT principals',
    description: 'Newest first.',
    access,
    permission: 'mqtt.read',
    isPlanFree: true,
    params: workspace,
    query: PrincipalPage,
    returns: { 200: Page(MqttPrincipalView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listMqttPrincipals(context, query)),
  }),
  operation({
    id: 'getMqttPrincipal',
    method: 'GET',
    path: '/workspaces/:id/mqtt/principals/:principal_id',
    tag,
    summary: 'Get an MQTT principal',
    access,
    permission: 'mqtt.read',
    isPlanFree: true,
    params: principal,
    returns: { 200: MqttPrincipalView },
    fails: ['mqtt_principal_not_found'],
    async run(context, { params }) {
      const { view, revision } = await getMqttPrincipal(context, params.principal_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'updateMqttPrincipal',
    method: 'PATCH',
    path: '/workspaces/:id/mqtt/principals/:principal_id',
    tag,
    summary: 'Change an MQTT principal',
    description:
      'Only members in the body change; null removes the expiry. A new expiry takes effect in every process within a second.',
    access,
    permission: 'mqtt.write',
    isPlanFree: true,
    params: principal,
    body: UpdateMqttPrincipal,
    returns: { 200: MqttPrincipalView },
    fails: ['mqtt_principal_not_found', 'mqtt_principal_name_taken', 'precondition_failed'],
    example: { description: 'Reads the meters, and the alarms.', expires_at: null },
    async run(context, { params, body }) {
      const { view, revision } = await updateMqttPrincipal(context, params.principal_id, body)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'deleteMqttPrincipal',
    method: 'DELETE',
    path: '/workspaces/:id/mqtt/principals/:principal_id',
    tag,
    summary: 'Delete an MQTT principal',
    description: 'Its sessions end within a second, and its retained messages are deleted.',
    access,
    permission: 'mqtt.write',
    bucket: 'safety',
    params: principal,
    returns: { 204: null },
    fails: ['mqtt_principal_not_found', 'precondition_failed'],
    async run(context, { params }) {
      await deleteMqttPrincipal(context, params.principal_id)
      return respond(204, null)
    },
  }),
]
