/** Failures of MQTT principals and connections. */
import { conflict, notFound } from './entry.ts'

export const mqtt = {
  mqtt_principal_not_found: notFound(
    'MQTT principal not found',
    'There is no such MQTT principal in this workspace.',
    'List the MQTT principals of the workspace.',
  ),
  no_claimed_devices: conflict(
    'No claimed devices',
    'The mobile identity has no claimed device in this workspace that can connect.',
    'Claim a device first, or wait until it is approved or resumed.',
  ),
  mqtt_principal_name_taken: conflict(
    'Name taken',
    'Another MQTT principal of the workspace has this name.',
    'Choose another name, or change the principal that has it.',
  ),
  acl_not_found: notFound(
    'MQTT rule not found',
    'This device or principal has no such rule.',
    'List its rules.',
  ),
  acl_ids_differ: conflict(
    'Rules differ',
    'The order does not list exactly the existing rules.',
    'List the rules again, and send all of their ids.',
  ),
}
