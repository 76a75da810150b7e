/** Every operation of the API, in the order of the API reference. */
import type { Services } from './context.ts'
import { addressProofOperations } from './features/identity/address-proofs/routes.ts'
import { actorOperations } from './features/team/actors/routes.ts'
import { apiKeyOperations } from './features/team/api-keys/routes.ts'
import type { AnchorServices } from './features/audit/log/audit-anchor.ts'
import { operatorAuditOperations } from './features/audit/log/operator-routes.ts'
import { auditOperations } from './features/audit/log/routes.ts'
import { authorizationCodeOperations } from './features/identity/authorization-codes/routes.ts'
import { authOperations } from './features/identity/sign-in/routes.ts'
import { claimOperations } from './features/mobile/claims/routes.ts'
import { workspaceClaimOperations } from './features/mobile/claims/workspace-routes.ts'
import { connectionLogOperations } from './features/mqtt/connection-log/routes.ts'
import { consoleSessionOperations } from './features/identity/console-sessions/routes.ts'
import { customFieldOperations } from './features/devices/custom-fields/routes.ts'
import { deviceAuthOperations } from './features/devices/device-api/routes.ts'
import { deviceConfigOperations } from './features/devices/config/routes.ts'
import { ownCommandOperations } from './features/devices/commands/own-routes.ts'
import { deviceCommandOperations } from './features/devices/commands/routes.ts'
import { deviceGroupOperations } from './features/devices/groups/routes.ts'
import { deviceNoteOperations } from './features/devices/notes/routes.ts'
import { deviceStateOperations } from './features/devices/state/routes.ts'
import { viewOperations } from './features/devices/views/routes.ts'
import { deviceTemplateOperations } from './features/devices/templates/routes.ts'
import { templateVersionOperations } from './features/devices/templates/version-routes.ts'
import { mqttConnectionOperations } from './features/mqtt/sessions/routes.ts'
import { mqttRuleOperations } from './features/mqtt/acl/routes.ts'
import { mqttEndpointOperations } from './features/mqtt/endpoints/routes.ts'
import { mqttReceiptOperations } from './features/mqtt/revocation/routes.ts'
import { mqttMessageOperations } from './features/mqtt/messages/routes.ts'
import type { AcmeServices } from './features/domains/certificates/acme-order.ts'
import { domainCertificateOperations } from './features/domains/certificates/routes.ts'
import { domainOperations } from './features/domains/ownership/routes.ts'
import type { DomainServices } from './features/domains/ownership/directory.ts'
import type { EventServices } from './features/events/feed/event-watch.ts'
import { eventOperations } from './features/events/feed/routes.ts'
import type { StateServices } from './features/devices/state/device-state.ts'
import type { LiveServices } from './features/events/live/live-hub.ts'
import { liveOperations } from './features/events/live/routes.ts'
import { invoiceOperations } from './features/billing/invoices/routes.ts'
import { ledgerOperations } from './features/billing/ledger/routes.ts'
import { accountDeletionOperations } from './features/workspaces/member-changes/console-routes.ts'
import { memberChangeOperations } from './features/workspaces/member-changes/routes.ts'
import { invitationOperations, memberOperations } from './features/team/members/routes.ts'
import { consoleInvitationOperations } from './features/team/members/console-routes.ts'
import { timelineOperations } from './features/devices/timeline/routes.ts'
import { searchOperations } from './features/fleet/search/routes.ts'
import { overviewOperations } from './features/fleet/overview/routes.ts'
import { bulkJobOperations } from './features/fleet/bulk-jobs/routes.ts'
import { rotationCampaignOperations } from './features/fleet/rotation-campaigns/routes.ts'
import { moidDeviceOperations } from './features/mobile/devices/routes.ts'
import { moidMqttOperations } from './features/mobile/mqtt/routes.ts'
import { moidOperations } from './features/mobile/identities/routes.ts'
import type { ExplainServices } from './features/mqtt/acl/explain.ts'
import type { TailServices } from './features/mqtt/messages/tail.ts'
import { mqttPrincipalCredentialOperations } from './features/mqtt/principals/credential-routes.ts'
import { mqttPrincipalOperations } from './features/mqtt/principals/routes.ts'
import { deviceTransferOperations } from './features/fleet/import-export/routes.ts'
import { deviceOperations, groupedDeviceOperations } from './features/devices/registry/routes.ts'
import { deviceStatusOperations } from './features/devices/registry/status-routes.ts'
import { operatorAccountOperations } from './features/operator/accounts/routes.ts'
import { operatorDoctorOperations } from './features/operator/doctor/routes.ts'
import { operatorServiceOperations } from './features/operator/service/routes.ts'
import type { InstallationServices } from './features/operator/service/service-state.ts'
import { operatorTenantOperations } from './features/operator/tenants/routes.ts'
import { passkeyOperations } from './features/identity/passkeys/routes.ts'
import { paymentMethodOperations } from './features/billing/payment-methods/routes.ts'
import { paymentOperations } from './features/billing/payments/routes.ts'
import type { PlanServices } from './features/metering/plans/plan-directory.ts'
import { planOperations } from './features/metering/plans/routes.ts'
import { provisioningOperations } from './features/fleet/provisioning/routes.ts'
import type { ProvisioningServices } from './features/fleet/provisioning/templates.ts'
import { secondFactorOperations } from './features/identity/mfa/routes.ts'
import { setupOperations } from './features/workspaces/installation/routes.ts'
import { sessionOperations } from './features/identity/sessions/routes.ts'
import { subscriptionOperations } from './features/metering/subscriptions/routes.ts'
import type { BillingServices } from './features/metering/subscriptions/subscription-lock.ts'
import { usageOperations } from './features/metering/usage/routes.ts'
import type { SsoServices } from './features/team/single-sign-on/attempt.ts'
import { singleSignOnOperations } from './features/team/single-sign-on/routes.ts'
import type { UsageServices } from './features/metering/usage/usage-meters.ts'
import { workspaceOperations } from './features/workspaces/lifecycle/routes.ts'
import { webhookDeliveryOperations } from './features/events/webhooks/delivery-routes.ts'
import { webhookOperations } from './features/events/webhooks/routes.ts'
import type { WebhookServices } from './features/events/webhooks/webhook.ts'
import type { Operation } from './platform/http/operation.ts'

/** The services of all slices combined. */
export type AllServices = Services &
  ProvisioningServices &
  AnchorServices &
  EventServices &
  LiveServices &
  StateServices &
  TailServices &
  ExplainServices &
  WebhookServices &
  DomainServices &
  PlanServices &
  BillingServices &
  UsageServices &
  AcmeServices &
  InstallationServices &
  SsoServices

export const operations: readonly Operation<AllServices>[] = [
  ...authOperations,
  ...sessionOperations,
  ...authorizationCodeOperations,
  ...consoleSessionOperations,
  ...setupOperations,
  ...addressProofOperations,
  ...accountDeletionOperations,
  ...secondFactorOperations,
  ...passkeyOperations,
  ...singleSignOnOperations,
  ...workspaceOperations,
  ...overviewOperations,
  ...searchOperations,
  ...memberOperations,
  ...memberChangeOperations,
  ...invitationOperations,
  ...consoleInvitationOperations,
  ...apiKeyOperations,
  ...actorOperations,
  ...deviceTemplateOperations,
  ...templateVersionOperations,
  ...deviceOperations,
  ...deviceTransferOperations,
  ...workspaceClaimOperations,
  ...deviceStatusOperations,
  ...deviceStateOperations,
  ...deviceNoteOperations,
  ...viewOperations,
  ...connectionLogOperations,
  ...timelineOperations,
  ...customFieldOperations,
  ...deviceConfigOperations,
  ...deviceCommandOperations,
  ...deviceGroupOperations,
  ...groupedDeviceOperations,
  ...mqttPrincipalOperations,
  ...mqttPrincipalCredentialOperations,
  ...bulkJobOperations,
  ...rotationCampaignOperations,
  ...mqttRuleOperations,
  ...mqttConnectionOperations,
  ...mqttMessageOperations,
  ...mqttEndpointOperations,
  ...mqttReceiptOperations,
  ...domainOperations,
  ...domainCertificateOperations,
  ...planOperations,
  ...subscriptionOperations,
  ...usageOperations,
  ...ledgerOperations,
  ...invoiceOperations,
  ...paymentMethodOperations,
  ...paymentOperations,
  ...eventOperations,
  ...liveOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
  ...auditOperations,
  ...provisioningOperations,
  ...deviceAuthOperations,
  ...ownCommandOperations,
  ...moidOperations,
  ...claimOperations,
  ...moidDeviceOperations,
  ...moidMqttOperations,
  ...operatorServiceOperations,
  ...operatorDoctorOperations,
  ...operatorAccountOperations,
  ...operatorTenantOperations,
  ...operatorAuditOperations,
]

/** The description of each section of the API reference. */
export const tags: Readonly<Record<string, string>> = {
  'Sign-in':
    "Console users: sign-in, second factor, sessions and the user's own account. Accounts are created in the console or with `mooring accounts create`.",
  Workspaces:
    'Workspaces. Every resource belongs to one. The slug of a workspace is the first level of ' +
    'its MQTT topics.',
  People:
    'The members of a workspace, their roles, and invitations. The table of permissions lists the rights of each role.',
  'API keys': 'API keys for backends (platform keys) and for factories (provision keys).',
  'Device templates': 'Settings that the devices of one model share.',
  Devices: 'Devices, for the console and for backends.',
  MQTT: 'MQTT clients that are not devices (backends, dashboards, bridges), live connections, and messages published by the service.',
  'Device groups': 'Dynamic groups (saved filters) and static groups (devices added one by one).',
  'Rotation campaigns': 'Secret rotation for a fleet, in waves, with the progress of each device.',
  Jobs: 'One action applied to many devices in the background, with a result for each device.',
  Domains:
    'Custom domain names for MQTT and for this API. A domain accepts only credentials of its ' +
    'own workspace.',
  Billing: 'Plans, subscriptions, usage, balance and invoices.',
  Events: 'The events of a workspace, in order and without gaps, and webhooks.',
  'Audit log': 'A record of every change, in a hash chain that reveals tampering.',
  Provisioning: 'For factories: register devices and rotate their credentials.',
  'Devices themselves': 'For devices: their own data, their credentials, and claiming.',
  'Mobile identity':
    'For phones: an identity without a password, the devices that it has claimed, and claiming.',
}
