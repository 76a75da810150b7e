/** Failures by the state of resources: missing, conflicting, or over a quota. */
import { conflict, forbidden, gone, notFound } from './entry.ts'

export const resources = {
  workspace_not_found: notFound(
    'Workspace not found',
    'There is no such workspace, or the caller may not see it.',
    'Check the id and the credential.',
  ),
  account_not_found: notFound(
    'Account not found',
    'There is no such account.',
    'List the accounts of the installation.',
  ),
  mail_not_found: notFound(
    'Mail not found',
    'There is no such mail in the outbox. Mails are deleted 30 days after they were sent or given up.',
    'List the outbox.',
  ),
  doctor_run_not_found: notFound(
    'Security check not found',
    'There is no such security check of a broker. The latest 100 are kept.',
    'List the security checks.',
  ),
  doctor_run_in_progress: conflict(
    'Security check in progress',
    'A security check of this broker is running.',
    'Wait for its end: a security check takes a minute or two.',
  ),
  broker_not_found: notFound(
    'Broker not found',
    'There is no broker of this name.',
    'List the brokers: `embedded`, and those of the brokers file.',
  ),
  member_not_found: notFound(
    'Member not found',
    'There is no such member in this workspace.',
    'List the members of the workspace.',
  ),
  link_not_found: notFound(
    'Link not found',
    'There is no such link, or it was used or replaced, or it has expired.',
    'Ask for a new link.',
  ),
  account_exists: conflict(
    'Account exists',
    'There is an account with this address.',
    'Sign in with it.',
  ),
  invitation_not_found: notFound(
    'Invitation not found',
    'There is no such invitation, or the caller cannot use it.',
    'Sign in with the address that was invited, or ask for a new invitation.',
  ),
  invitation_links_off: conflict(
    'Invitation links are off',
    'Links of invitations are sent by mail only.',
    'The invited person finds the link in the mail. The operator can allow links (`MOORING_INVITATION_LINKS`).',
  ),
  registration_closed: forbidden(
    'Registration is closed',
    'Accounts of this service are not created in this way.',
    'Ask for an invitation, or ask the operator for an account.',
  ),
  already_member: conflict(
    'Already a member',
    'The user is already a member of this workspace.',
    'Change the role of the member instead.',
  ),
  last_owner: conflict(
    'Last owner',
    'A workspace keeps at least one owner who can sign in.',
    'Make another member an owner first, or delete the workspace.',
  ),
  api_key_not_found: notFound(
    'API key not found',
    'There is no such API key in this workspace.',
    'List the keys of the workspace.',
  ),
  template_not_found: notFound(
    'Device template not found',
    'There is no such device template in this workspace.',
    'List the device templates of the workspace.',
  ),
  template_version_not_found: notFound(
    'Template version not found',
    'There is no such version of this device template.',
    'List the versions of the template.',
  ),
  device_not_found: notFound(
    'Device not found',
    'There is no such device in this workspace.',
    'List the devices of the workspace.',
  ),
  device_group_not_found: notFound(
    'Device group not found',
    'There is no such group of devices in this workspace.',
    'List the groups of the workspace.',
  ),
  device_group_name_taken: conflict(
    'Name taken',
    'Another group of devices of the workspace has this name.',
    'Choose another name, or change the group that has it.',
  ),
  device_group_has_filter: conflict(
    'Group has a filter',
    'The filter of the group selects its devices.',
    'Change the filter, or create a group without one.',
  ),
  device_group_in_use: conflict(
    'Group in use',
    'The filter of another group refers to this group.',
    'Change or delete the other group first.',
  ),
  state_not_found: notFound(
    'State not found',
    'The device has not published a state yet.',
    'Wait until the device publishes on its state topic, or write a state.',
  ),
  note_not_found: notFound(
    'Note not found',
    'There is no such note on this device.',
    'List the notes on the device.',
  ),
  note_of_another: forbidden(
    'Note of another author',
    'Only its author, an owner or an admin may change this note.',
    'Add your own note, or ask an admin.',
  ),
  view_not_found: notFound(
    'View not found',
    'There is no such saved view for the caller.',
    'List the saved views of the workspace.',
  ),
  view_name_taken: conflict(
    'View name taken',
    'Another view of the same kind, own or shared, already has this name.',
    'Choose another name, or change that view.',
  ),
  view_of_another: forbidden(
    'View of another person',
    'Only the creator of this shared view, an owner or an admin may change it, and only the creator can stop sharing it.',
    'Save a view of your own, or ask an admin.',
  ),
  custom_field_not_found: notFound(
    'Custom field not found',
    'There is no such custom field in this workspace.',
    'List the custom fields of the workspace.',
  ),
  custom_field_taken: conflict(
    'Custom field taken',
    'The workspace has a custom field of this name.',
    'Choose another name. One that is being deleted keeps its name until its values are removed.',
  ),
  custom_field_in_use: conflict(
    'Custom field in use',
    'Devices have a value of this custom field.',
    'Remove the values first, or delete with `?purge=true`, which removes them.',
  ),
  command_not_found: notFound(
    'Command not found',
    'There is no such command of this device.',
    'List the commands of the device. Commands are deleted 30 days after their end.',
  ),
  session_not_found: notFound(
    'Session not found',
    'There is no such live session of this account.',
    'List the sessions of the account.',
  ),
  claim_not_found: notFound(
    'Claim not found',
    'There is no such claim of this mobile identity.',
    'Start a new claim.',
  ),
  claim_code_unknown: notFound(
    'Claim code unknown',
    'No open claim in this workspace has this code.',
    'Request a new code on the phone.',
  ),
  invalid_transition: conflict(
    'Invalid transition',
    'The state of the resource does not allow this operation.',
    'Read the resource. The response contains the current and the requested state.',
  ),
  slug_fixed: conflict(
    'Slug is fixed',
    'The slug is the topic prefix of registered devices and can no longer change.',
    'Keep the slug; the name can change at any time.',
  ),
  model_key_taken: conflict(
    'Model key taken',
    'Another device template of this workspace has this model key.',
    'Choose another model key.',
  ),
  template_in_use: conflict(
    'Device template in use',
    'Devices still use this template.',
    'Move or delete its devices first.',
  ),
  device_key_taken: conflict(
    'Device key taken',
    'Another device of this workspace has this key.',
    'Choose another `device_key`, or pass the `device_id` to rotate the credentials of that device.',
  ),
  device_already_registered: conflict(
    'Device already registered',
    'A device with this hardware id is registered, and the key does not renew its credentials.',
    'Pass the `device_id` to rotate its credentials, or change `on_known_device` of the key. If the device is claimed, staff can allow the rotation.',
  ),
  hardware_id_taken: conflict(
    'Hardware id taken',
    'Another device of this workspace has this hardware id.',
    'Check the hardware id; each device has its own.',
  ),
  device_already_claimed: conflict(
    'Device already claimed',
    'The device is bound to a phone.',
    'Release it first, from the phone that claimed it or with a factory reset.',
  ),
  too_many_open_claims: conflict(
    'Too many open claims',
    'This mobile identity has five open claims.',
    'Cancel one, or wait until one expires.',
  ),
  quota_reached: conflict(
    'Quota reached',
    'The device quota of this provision key is used up.',
    'Create another provision key. Rotation of registered devices still works.',
  ),
  limit_reached: conflict(
    'Limit reached',
    'The workspace has the maximum number of these resources.',
    'Delete resources that are no longer needed.',
  ),
  audit_log_empty: conflict(
    'Audit chain is empty',
    'The audit chain of the workspace has no entry yet.',
    'Try again in a few seconds.',
  ),
  audit_chain_broken: conflict(
    'Audit chain broken',
    'The head of the audit chain does not match its stored signature.',
    'Verify the audit log to find the position and kind of the defect.',
  ),
  claim_code_used: gone(
    'Claim code used',
    'This claim code has been used.',
    'Request a new code on the phone.',
  ),
  claim_code_expired: gone(
    'Claim code expired',
    'This claim code is no longer valid.',
    'Request a new code on the phone.',
  ),
  slug_taken: conflict(
    'Slug taken',
    'Another workspace has this slug, or it is reserved.',
    'Choose another slug.',
  ),
} as const
