/**
 * The parameters in paths, by their names: the format of each, and the failure if it differs.
 * Anything malformed is the same 404 as an unknown id.
 */
import type { FailureCode } from '../errors/errors.ts'
import type { IdPrefix } from '../lib/ids.ts'

export interface PathParam {
  /** The prefix of the id; undefined for a number that counts from 1 below an id. */
  prefix: IdPrefix | undefined
  missing: FailureCode
  /** Firmware sends it, perhaps as a bare UUID. */
  isSentByDevices?: true
}

const param = (prefix: IdPrefix | undefined, missing: FailureCode): PathParam => ({
  prefix,
  missing,
})

const params = {
  id: param('ws', 'workspace_not_found'),
  account_id: param('usr', 'account_not_found'),
  acl_id: param('acl', 'acl_not_found'),
  campaign_id: param('cmp', 'rotation_campaign_not_found'),
  claim_id: param('clm', 'claim_not_found'),
  command_id: param('cmd', 'command_not_found'),
  connection_id: param('con', 'mqtt_connection_not_found'),
  delivery_id: param('dlv', 'webhook_delivery_not_found'),
  device_id: param('dev', 'device_not_found'),
  domain_id: param('dom', 'domain_not_found'),
  field_id: param('fld', 'custom_field_not_found'),
  group_id: param('grp', 'device_group_not_found'),
  identity_id: param('idn', 'sso_identity_not_found'),
  invitation_id: param('inv', 'invitation_not_found'),
  invoice_id: param('inv', 'invoice_not_found'),
  job_id: param('job', 'job_not_found'),
  key_id: param('key', 'api_key_not_found'),
  mail_id: param('mail', 'mail_not_found'),
  method_id: param('pm', 'payment_method_not_found'),
  note_id: param('note', 'note_not_found'),
  passkey_id: param('pky', 'passkey_not_found'),
  payment_id: param('pay', 'payment_not_found'),
  principal_id: param('mqp', 'mqtt_principal_not_found'),
  receipt_id: param('rcp', 'mqtt_receipt_not_found'),
  run_id: param('run', 'doctor_run_not_found'),
  session_id: param('ses', 'session_not_found'),
  template_id: param('tpl', 'template_not_found'),
  user_id: param('usr', 'member_not_found'),
  view_id: param('view', 'view_not_found'),
  webhook_id: param('whk', 'webhook_not_found'),
  workspace_id: param('ws', 'workspace_not_found'),
  version: param(undefined, 'template_version_not_found'),
}

type ParamName = keyof typeof params
export type Params = Readonly<Record<string, PathParam>>

/** The names of the parameters in a path such as `/workspaces/:id/devices/:device_id`. */
export type NamesIn<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never

/** The parameters of a path, in its order. */
export function paramsIn(path: string, areSentByDevices: boolean): Params {
  const names = [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name as ParamName)
  const sent = areSentByDevices ? { isSentByDevices: true as const } : {}
  return Object.fromEntries(names.map((name) => [name, { ...params[name], ...sent }]))
}
