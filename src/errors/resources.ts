/** Refusals by what is there already, or is not. */
import { entry } from './entry.ts'

export const resources = {
  workspace_not_found: entry(
    404,
    'Workspace not found',
    'There is no such workspace, or the caller may not see it.',
    'Check the id and the credential.',
  ),
  api_key_not_found: entry(
    404,
    'API key not found',
    'There is no such API key in this workspace.',
    'List the keys of the workspace.',
  ),
  template_not_found: entry(
    404,
    'Device template not found',
    'There is no such device template in this workspace.',
    'List the device templates of the workspace.',
  ),
  template_version_not_found: entry(
    404,
    'Template version not found',
    'There is no such version of this device template.',
    'List the versions of the template.',
  ),
  device_not_found: entry(
    404,
    'Device not found',
    'There is no such device in this workspace.',
    'List the devices of the workspace.',
  ),
  state_not_found: entry(
    404,
    'No state yet',
    'The device has not published a state yet.',
    'Wait until the device publishes on its state topic, or write a state.',
  ),
  command_not_found: entry(
    404,
    'Command not found',
    'There is no such command of this device.',
    'List the commands of the device; those that ended more than 30 days ago are forgotten.',
  ),
  session_not_found: entry(
    404,
    'Session not found',
    'There is no such live session of this account.',
    'List the sessions of the account.',
  ),
  claim_not_found: entry(
    404,
    'Claim not found',
    'There is no such claim of this mobile identity.',
    'Start a new claim.',
  ),
  claim_code_unknown: entry(
    404,
    'Claim code unknown',
    'No open claim in this workspace has this code.',
    'Let the phone show a new code.',
  ),
  invalid_transition: entry(
    409,
    'Invalid transition',
    'The resource is not in a state from which this is possible.',
    'Read the resource; the answer names its state and the one that was asked for.',
  ),
  slug_fixed: entry(
    409,
    'Slug is fixed',
    'The slug is the topic prefix of registered devices and can not change any more.',
    'Keep the slug; the name can change at any time.',
  ),
  model_key_taken: entry(
    409,
    'Model key taken',
    'Another device template of this workspace has this model key.',
    'Choose another model key.',
  ),
  template_in_use: entry(
    409,
    'Device template in use',
    'Devices still use this template.',
    'Move or delete its devices first.',
  ),
  device_key_taken: entry(
    409,
    'Device key taken',
    'Another device of this workspace has this key.',
    'Choose another `device_key`, or pass the `device_id` to rotate the credentials of that device.',
  ),
  device_already_registered: entry(
    409,
    'Device already registered',
    'A device with this hardware id is registered, and the key does not renew its credentials.',
    'Pass the `device_id` to rotate its credentials, or change `on_known_device` of the key.',
  ),
  hardware_id_taken: entry(
    409,
    'Hardware id taken',
    'Another device of this workspace has this hardware id.',
    'Check the hardware id; each device has its own.',
  ),
  device_already_claimed: entry(
    409,
    'Device already claimed',
    'The device is bound to a phone.',
    'Release it first, from the phone that holds it or with a factory reset.',
  ),
  too_many_open_claims: entry(
    409,
    'Too many open claims',
    'This mobile identity has five open claims.',
    'Cancel one, or wait until one expires.',
  ),
  quota_reached: entry(
    409,
    'Quota reached',
    'The device quota of this provision key is used up.',
    'Create another provision key. Rotation of registered devices goes on working.',
  ),
  limit_reached: entry(
    409,
    'Limit reached',
    'The workspace holds as many of these as it may.',
    'Delete what is no longer needed.',
  ),
  claim_code_used: entry(
    410,
    'Claim code used',
    'This claim code has been used.',
    'Let the phone show a new code.',
  ),
  claim_code_expired: entry(
    410,
    'Claim code expired',
    'This claim code is no longer valid.',
    'Let the phone show a new code.',
  ),
  slug_taken: entry(
    409,
    'Slug taken',
    'Another workspace has this slug, or it is reserved.',
    'Choose another slug.',
  ),
} as const
