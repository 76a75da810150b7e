/** Operations on the password, status and sessions of an MQTT principal. */
import { operationGroup } from '../../../context.ts'
import { resetPrincipalCredentials, rotatePrincipalCredentials } from './principal-credentials.ts'
import {
  disconnectMqttPrincipal,
  resumeMqttPrincipal,
  suspendMqttPrincipal,
} from './principal-status.ts'
import { MqttPrincipalView, ResetMqttPrincipal, RotatedMqttPrincipal } from './schema.ts'

const operation = operationGroup({ tag: 'MQTT', access: ['user', 'platform-key'] })

const path = '/workspaces/:id/mqtt/principals/:principal_id'

export const mqttPrincipalCredentialOperations = [
  operation({
    id: 'resetMqttPrincipalCredentials',
    route: `POST ${path}/credentials/reset`,
    summary: 'Reset the password of an MQTT principal',
    description:
      'For a compromised password: every old password becomes invalid immediately and live sessions end. For regular renewal, rotate it.',
    permission: 'mqtt.write',
    bucket: 'safety',
    returns: { 200: ResetMqttPrincipal },
    fails: ['mqtt_principal_not_found', 'precondition_failed'],
    run: (context, input) => resetPrincipalCredentials(context, input.params.principal_id),
  }),
  operation({
    id: 'rotateMqttPrincipalCredentials',
    route: `POST ${path}/credentials/rotate`,
    summary: 'Rotate the password of an MQTT principal',
    description:
      'Adds a password without removing one: the old one is valid until the new one is first used, and stays valid if it never is.',
    permission: 'mqtt.write',
    bucket: 'safety',
    returns: { 200: RotatedMqttPrincipal },
    fails: ['mqtt_principal_not_found', 'precondition_failed'],
    run: (context, input) => rotatePrincipalCredentials(context, input.params.principal_id),
  }),
  operation({
    id: 'suspendMqttPrincipal',
    route: `POST ${path}/suspend`,
    summary: 'Suspend an MQTT principal',
    description:
      'Live sessions end within a second, and its password is refused until it is resumed.',
    permission: 'mqtt.secure',
    bucket: 'safety',
    returns: { 200: MqttPrincipalView },
    fails: ['mqtt_principal_not_found', 'invalid_transition', 'precondition_failed'],
    run: (context, input) => suspendMqttPrincipal(context, input.params.principal_id),
  }),
  operation({
    id: 'resumeMqttPrincipal',
    route: `POST ${path}/resume`,
    summary: 'Resume an MQTT principal',
    description: 'It can connect again, with the same password.',
    permission: 'mqtt.secure',
    returns: { 200: MqttPrincipalView },
    fails: ['mqtt_principal_not_found', 'invalid_transition', 'precondition_failed'],
    run: (context, input) => resumeMqttPrincipal(context, input.params.principal_id),
  }),
  operation({
    id: 'disconnectMqttPrincipal',
    route: `POST ${path}/disconnect`,
    summary: 'Disconnect an MQTT principal',
    description: 'Ends its live sessions within a second. It may reconnect immediately.',
    permission: 'mqtt.secure',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['mqtt_principal_not_found', 'precondition_failed'],
    run: (context, input) => disconnectMqttPrincipal(context, input.params.principal_id),
  }),
]
