/** Failures of MQTT principals and connections. */
import { entry } from './entry.ts'

export const mqtt = {
  mqtt_principal_not_found: entry(
    404,
    'MQTT principal not found',
    'There is no such MQTT principal in this workspace.',
    'List the MQTT principals of the workspace.',
  ),
  no_claimed_devices: entry(
    409,
    'No claimed devices',
    'The mobile identity holds no device in this workspace that may connect.',
    'Claim a device first, or wait until it is approved or resumed.',
  ),
  mqtt_principal_name_taken: entry(
    409,
    'Name taken',
    'Another MQTT principal of the workspace has this name.',
    'Choose another name, or change the principal that has it.',
  ),
  acl_not_found: entry(
    404,
    'MQTT rule not found',
    'There is no such rule among the own ones of this device or principal.',
    'List its rules.',
  ),
  acl_ids_differ: entry(
    409,
    'Other rules',
    'The order does not name exactly the rules that there are.',
    'List the rules again, and order those.',
  ),
}
