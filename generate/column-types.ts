/**
 * Types of columns that the schema does not have, by table and column; a computed column by the
 * first part of its statement's name. JSON of ours is not here: its type is that of the schema
 * which reads it (`stored`, `composed`).
 */

export interface NamedType {
  name: string
  /** From the root of the repository. */
  from: string
}

const named = (name: string, from: string): NamedType => ({ name, from })

const claimStatus = "'open' | 'bound' | 'released' | 'cancelled' | 'expired'"
const actorKind = named('ActorKind', './src/platform/lib/actor-kinds.ts')

/** JSON as people have sent it, which is only passed on. */
export const sentJson: Readonly<
  Record<string, 'unknown' | 'Record<string, unknown>' | 'Record<string, string>'>
> = {
  'audit_log.detail': 'Record<string, unknown>',
  'custom_fields.value': 'unknown',
  'device_commands.payload': 'Record<string, unknown>',
  'device_commands.result': 'unknown',
  'device_configs.config': 'Record<string, unknown>',
  'device_configs.effective': 'Record<string, unknown>',
  'device_states.state': 'Record<string, unknown>',
  'device_templates.default_config': 'Record<string, unknown>',
  'devices.config': 'Record<string, unknown>',
  'devices.custom_fields': 'Record<string, unknown>',
  'devices.tags': 'Record<string, string>',
}

/** Texts without a constraint, and numbers with one. */
export const columnTypes: Readonly<Record<string, NamedType | string>> = {
  'api_keys.actions': "('register' | 'rotate')[]",
  'api_keys.status': "'active' | 'expired' | 'revoked'",
  'claim_bindings.claim_status': claimStatus,
  'claim_bindings.status': claimStatus,
  'claims.status': claimStatus,
  'connection_log.session': "'open' | 'ended' | 'unknown'",
  'device_commands.status':
    "'pending' | 'sent' | 'acknowledged' | 'failed' | 'timed_out' | 'cancelled'",
  'device_notes.author_kind': "'user' | 'platform-key'",
  'invitations.status': "'pending' | 'accepted' | 'revoked' | 'expired'",
  'jobs.action': named('JobAction', './src/features/fleet/bulk-jobs/schema.ts'),
  'jobs.actor_kind': actorKind,
  'mqtt_connections.protocol': "'3.1' | '3.1.1' | '5'",
  'mqtt_connections.transport': "'tcp' | 'tls' | 'ws' | 'wss'",
  'mqtt_messages.qos': '0 | 1 | 2',
  'mqtt_retained_messages.qos': '0 | 1 | 2',
  'mqtt_stored_messages.qos': '0 | 1 | 2',
  'operator.mail': "'queued' | 'sent' | 'kept' | 'failed'",
  'rotation_campaign_devices.becomes': named(
    'CampaignDeviceStatus',
    './src/features/fleet/rotation-campaigns/schema.ts',
  ),
  'rotation_campaign_devices.code': "'device_not_found' | 'invalid_transition' | 'not_confirmed'",
  'rotation_campaigns.actor_kind': actorKind,
  'search.kind': named('FoundKind', './src/features/fleet/search/schema.ts'),
  'tasks.status': "'running' | 'waiting' | 'late' | 'failed'",
  'users.installation_role': "'operator'",
}
