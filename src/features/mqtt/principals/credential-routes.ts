/** Operations on the password, status and sessions of an MQTT principal. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { resetPrincipalCredentials, rotatePrincipalCredentials } from './principal-credentials.ts'
import {
  disconnectMqttPrincipal,
  resumeMqttPrincipal,
  suspendMqttPrincipal,
} from './principal-status.ts'
import { MqttPrincipalView, ResetMqttPrincipal, RotatedMqttPrincipal } from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'MQTT'
const path = '/workspaces/:id/mqtt/principals/:principal_id'
const params = {
  id: idParam('ws', 'workspace_not_found'),
  principal_id: idParam('mqp', 'mqtt_principal_not_found'),
}

export const mqttPrincipalCredentialOperations = [
  operation({
    id: 'resetMqttPrincipalCredentials',
    method: 'POST',
    path: `${path}/credentials/reset`,
    tag,
    summary: 'Reset the password of an MQTT principal',
    description:
      'For a compromised password: every old password becomes invalid immediately and live sessions end. For regular renewal, rotate it.',
    access,
    permission: 'mqtt.write',
    bucket: 'safety',
    params,
    returns: { 200: ResetMqttPrincipal },
    fails: ['mqtt_principal_not_found', 'precondition_failed'],
    run: async (context, input) =>
      respond(200, await resetPrincipalCredentials(context, input.params.principal_id)),
  }),
  operation({
    id: 'rotateMqttPrincipalCredentials',
    method: 'POST',
    path: `${path}/credentials/rotate`,
    tag,
    summary: 'Rotate the password of an MQTT principal',
    description:
      'Adds a password without removing one: the old one is valid until the new one is first used, and stays valid if it never is.',
    access,
    permission: 'mqtt.write',
    bucket: 'safety',
    params,
    returns: { 200: RotatedMqttPrincipal },
    fails: ['mqtt_principal_not_found', 'precondition_failed'],
    run: async (context, input) =>
      respond(200, await rotatePrincipalCredentials(context, input.params.principal_id)),
  }),
  operation({
    id: 'suspendMqttPrincipal',
    method: 'POST',
    path: `${path}/suspend`,
    tag,
    summary: 'Suspend an MQTT principal',
    description:
      'Live sessions end within a second, and its password is refused until it is resumed.',
    access,
    permission: 'mqtt.secure',
    bucket: 'safety',
    params,
    returns: { 200: MqttPrincipalView },
    fails: ['mqtt_principal_not_found', 'invalid_transition', 'precondition_failed'],
    async run(context, input) {
      const { view, revision } = await suspendMqttPrincipal(context, input.params.principal_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'resumeMqttPrincipal',
    method: 'POST',
    path: `${path}/resume`,
    tag,
    summary: 'Resume an MQTT principal',
    description: 'It can connect again, with the same password.',
    access,
    permission: 'mqtt.secure',
    params,
    returns: { 200: MqttPrincipalView },
    fails: ['mqtt_principal_not_found', 'invalid_transition', 'precondition_failed'],
    async run(context, input) {
      const { view, revision } = await resumeMqttPrincipal(context, input.params.principal_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'disconnectMqttPrincipal',
    method: 'POST',
    path: `${path}/disconnect`,
    tag,
    summary: 'Disconnect an MQTT principal',
    description: 'Ends its live sessions within a second. It may reconnect immediately.',
    access,
    permission: 'mqtt.secure',
    bucket: 'safety',
    params,
    returns: { 204: null },
    fails: ['mqtt_principal_not_found', 'precondition_failed'],
    async run(context, input) {
      await disconnectMqttPrincipal(context, input.params.principal_id)
      return respond(204, null)
    },
  }),
]
