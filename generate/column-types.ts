/**
 * Types of columns that the schema does not have: those of JSON, and unions of texts without a
 * constraint. By table and column; a computed column by the first part of its statement's name.
 * JSON is either ours, which has a name and a schema (`stored`, `composed`), or it is as people
 * have sent it, and is only passed on.
 */

interface NamedType {
  /** A type expression. */
  type: string
  /** The name to import for it. */
  name: string
  /** From the root of the repository. */
  from: string
}

const named = (name: string, from: string, type = name): NamedType => ({ name, from, type })

const rule = named('TopicRule', './src/adapters/broker/port.ts', 'TopicRule[]')
const origin = named('Origin', './src/platform/record/event.ts')
const ownRules = named('OwnRule', './src/features/common/topic-rule.ts', 'OwnRule[]')
const claimStatus = "'open' | 'bound' | 'released' | 'cancelled' | 'expired'"
const actorKind = named('Origin', './src/platform/record/event.ts', "Origin['actor']['kind']")
const templates = './src/features/devices/templates/schema.ts'

export const columnTypes: Readonly<Record<string, NamedType | string>> = {
  'api_keys.actions': "('register' | 'rotate')[]",
  'api_keys.status': "'active' | 'expired' | 'revoked'",
  'audit_log.detail': 'Record<string, unknown>',
  'changes.changes': named('Changes', './src/platform/database/change-feed.ts'),
  'custom_fields.purged_by': origin,
  'custom_fields.value': 'unknown',
  'device_acls.rules': ownRules,
  'device_commands.status':
    "'pending' | 'sent' | 'acknowledged' | 'failed' | 'timed_out' | 'cancelled'",
  'device_configs.effective': 'Record<string, unknown>',
  'device_commands.payload': 'Record<string, unknown>',
  'device_commands.result': 'unknown',
  'device_configs.config': 'Record<string, unknown>',
  'device_states.state': 'Record<string, unknown>',
  'device_template_versions.fields': named('StoredTemplate', templates),
  'device_templates.capabilities': 'string[]',
  'device_templates.capability_definitions': named(
    'CapabilityDefinition',
    templates,
    'CapabilityDefinition[]',
  ),
  'device_templates.default_config': 'Record<string, unknown>',
  'device_templates.firmware': named('Firmware', './src/features/common/firmware-shape.ts'),
  'device_templates.mqtt_acl': rule,
  'device_notes.author_kind': "'user' | 'platform-key'",
  'devices.config': 'Record<string, unknown>',
  'devices.custom_fields': 'Record<string, unknown>',
  'devices.tags': 'Record<string, string>',
  'doctor_runs.results': named(
    'DoctorResult',
    './src/features/operator/doctor/schema.ts',
    'DoctorResult[]',
  ),
  'users.installation_role': "'operator'",
  'device_timeline.entry': named('EntryRow', './src/features/devices/timeline/schema.ts'),
  'events.data': 'Record<string, unknown>',
  'events.events': named('EventRows', './src/features/events/feed/schema.ts'),
  'events.last': named('Position', './src/features/events/feed/schema.ts'),
  'webhook_deliveries.event': named('SentEvent', './src/features/events/webhooks/schema.ts'),
  'invitations.status': "'pending' | 'accepted' | 'revoked' | 'expired'",
  'invoices.content': named('InvoiceContent', './src/features/billing/invoices/schema.ts'),
  'claim_bindings.claim_status': claimStatus,
  'claim_bindings.status': claimStatus,
  'claims.status': claimStatus,
  'domains.certificate': named('CertificateSummary', './src/features/domains/ownership/schema.ts'),
  'domains.last_error': named('ProofError', './src/features/domains/ownership/schema.ts'),
  'live.commands': named('WatchedCommands', './src/features/events/live/schema.ts'),
  'live.newest': named('NewestDelivery', './src/features/events/live/schema.ts'),
  'ledger.lines': named('LedgerLines', './src/features/billing/ledger/schema.ts'),
  'jobs.action': named('JobAction', './src/features/fleet/bulk-jobs/schema.ts'),
  'jobs.cancel_origin': origin,
  'jobs.parameters': named('JobParameters', './src/features/fleet/bulk-jobs/schema.ts'),
  'mqtt_credentials.devices': named('HeldDevices', './src/features/mqtt/credentials/schema.ts'),
  'mqtt_credentials.own_rules': ownRules,
  'mqtt_credentials.secrets': named('Secrets', './src/features/mqtt/credentials/schema.ts'),
  'connection_log.session': "'open' | 'ended' | 'unknown'",
  'mqtt_connections.protocol': "'3.1' | '3.1.1' | '5'",
  'mqtt_connections.transport': "'tcp' | 'tls' | 'ws' | 'wss'",
  'mqtt_messages.qos': '0 | 1 | 2',
  'mqtt_retained_messages.qos': '0 | 1 | 2',
  'mqtt_stored_messages.qos': '0 | 1 | 2',
  'mqtt_principal_acls.rules': ownRules,
  'mqtt_receipts.narrowed': named('Narrowed', './src/features/mqtt/revocation/schema.ts'),
  'mqtt_rules.mqtt_acl': rule,
  'mqtt_stored_messages.identifiers': named(
    'Identifiers',
    './src/features/mqtt/durable-sessions/schema.ts',
  ),
  'mqtt_stored_sessions.subscriptions': named(
    'Subscriptions',
    './src/features/mqtt/durable-sessions/schema.ts',
  ),
  'mqtt_stored_sessions.will': named(
    'StoredWill',
    './src/features/mqtt/durable-sessions/schema.ts',
  ),
  'mqtt_tail_messages.batch': named('TailBatch', './src/features/mqtt/messages/schema.ts'),
  'mqtt_rules.rules': ownRules,
  'operator.mail': "'queued' | 'sent' | 'kept' | 'failed'",
  'rotation_campaign_devices.code': "'device_not_found' | 'invalid_transition' | 'not_confirmed'",
  'rotation_campaign_devices.becomes': named(
    'CampaignDeviceStatus',
    './src/features/fleet/rotation-campaigns/schema.ts',
  ),
  'jobs.actor_kind': actorKind,
  'rotation_campaigns.actor_kind': actorKind,
  'rule_narrowing.before': rule,
  'search.kind': named('FoundKind', './src/features/fleet/search/schema.ts'),
  'subscription_terms.plan': named('Plan', './src/features/common/plan-shapes.ts'),
  'subscriptions.billing_details': named(
    'BillingDetails',
    './src/features/metering/subscriptions/schema.ts',
  ),
  'user_sessions.memberships': named('Memberships', './src/features/identity/sessions/schema.ts'),
  'workspaces.erasure': named('Progress', './src/features/workspaces/lifecycle/schema.ts'),
  'webhook_deliveries.attempts': named(
    'Attempt',
    './src/features/events/webhooks/schema.ts',
    'Attempt[]',
  ),
  'views.columns': 'string[]',
}
