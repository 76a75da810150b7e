/** Event types of the API and actions of the audit log, as data. */
import { NIL_UUID } from '../lib/ids.ts'
import type { ActorKind } from '../lib/actor-kinds.ts'

export const eventTypes = [
  'workspace.created',
  'workspace.updated',
  'workspace.deleted',
  'workspace.restored',
  'member.added',
  'member.updated',
  'member.removed',
  'api_key.created',
  'api_key.updated',
  'api_key.revoked',
  'template.created',
  'template.updated',
  'template.deleted',
  'device.registered',
  'device.rotated',
  'device.credentials_reset',
  'device.approved',
  'device.rejected',
  'device.activated',
  'device.updated',
  'device.rotation_asked',
  'device.rotation_allowed',
  'device.acl_changed',
  'device.suspended',
  'device.resumed',
  'device.decommissioned',
  'device.deleted',
  'device.connected',
  'device.disconnected',
  'device.config_reported',
  'device.claimed',
  'device.released',
  'mqtt_principal.acl_changed',
  'command.acknowledged',
  'command.failed',
  'command.timed_out',
  'mqtt_principal.created',
  'mqtt_principal.updated',
  'mqtt_principal.rotated',
  'mqtt_principal.credentials_reset',
  'mqtt_principal.suspended',
  'mqtt_principal.resumed',
  'mqtt_principal.deleted',
  'device_group.created',
  'device_group.updated',
  'device_group.members_changed',
  'device_group.deleted',
  'rotation_campaign.created',
  'rotation_campaign.paused',
  'rotation_campaign.resumed',
  'rotation_campaign.halted',
  'rotation_campaign.completed',
  'rotation_campaign.cancelled',
  'rotation_campaign.failed',
  'job.created',
  'job.completed',
  'job.cancelled',
  'job.failed',
  'claim.created',
  'claim.cancelled',
  'claim.expired',
  'domain.added',
  'domain.verified',
  'domain.verification_failing',
  'domain.lapsed',
  'domain.deleted',
  'certificate.uploaded',
  'certificate.issued',
  'certificate.renewed',
  'certificate.removed',
  'certificate.expiring',
  'certificate.challenge_waiting',
  'certificate.issuance_failed',
  'certificate.renewal_failed',
  'session.reuse_detected',
  'subscription.changed',
  'balance.credited',
  'invoice.created',
  'invoice.finalized',
  'invoice.paid',
  'invoice.overdue',
  'invoice.voided',
  'usage.threshold_reached',
  'payment.succeeded',
  'payment.failed',
  'payment.reversed',
  'payment_method.added',
  'payment_method.removed',
  'audit.anchored',
  'webhook.created',
  'webhook.updated',
  'webhook.secret_rotated',
  'webhook.disabled',
  'webhook.deleted',
] as const

export type EventType = (typeof eventTypes)[number]

/**
 * Actions that only the audit log shows, such as acts of people on their own account, and refusals.
 */
export type AuditAction =
  | EventType
  | 'account.created'
  | 'payment.created'
  | 'payment_method.setup_begun'
  | 'payment_method.updated'
  | 'account.updated'
  | 'account.set_up'
  | 'account.reset_asked'
  | 'account.registration_asked'
  | 'account.email_change_asked'
  | 'account.email_changed'
  | 'account.disabled'
  | 'account.deleted'
  | 'account.enabled'
  | 'account.role_changed'
  | 'account.sessions_ended'
  | 'account.password_link_issued'
  | 'identity.linked'
  | 'identity.unlinked'
  | 'mail.retried'
  | 'doctor.started'
  | 'account.password_changed'
  | 'authorization_code.created'
  | 'session.created'
  | 'session.ended'
  | 'session.reauthenticated'
  | 'session.refused'
  | 'mfa.enrolled'
  | 'mfa.removed'
  | 'mfa.refused'
  | 'mfa.recovery_codes_renewed'
  | 'passkey.added'
  | 'passkey.renamed'
  | 'passkey.removed'
  | 'passkey.refused'
  | 'moid_mqtt_login.created'
  | 'moid_session.created'
  | 'moid_session.ended'
  | 'claim.updated'
  | 'device.sessions_cut'
  | 'mqtt_connection.cut'
  | 'mqtt_connections.cut'
  | 'mqtt_principal.sessions_cut'
  | 'mqtt_message.published'
  | 'mqtt_messages.observed'
  | 'mqtt_messages.observation_ended'
  | 'device_state.written'
  | 'command.created'
  | 'device_note.created'
  | 'device_note.updated'
  | 'device_note.deleted'
  | 'view.created'
  | 'view.updated'
  | 'view.deleted'
  | 'custom_field.created'
  | 'custom_field.updated'
  | 'custom_field.deleted'
  | 'command.cancelled'
  | 'certificate.ordered'
  | 'certificate.order_continued'
  | 'invitation.created'
  | 'invitation.accepted'
  | 'invitation.revoked'
  | 'invitation.expired'
  | 'invitation.refused'
  | 'invitation.link_shown'
  | 'workspace.erased'
  | 'signing_key.rotated'
  | 'master_key.replaced'
  | 'master_key.retired'
  | 'backup.restored'
  | 'access.refused'
  | 'audit.pruned'
  | 'webhook.redelivered'

/** The workspace id of audit entries that belong to no workspace. */
export const INSTALLATION = NIL_UUID

export interface Actor {
  kind: ActorKind
  /** Public id (`usr_…`), or null. */
  id: string | null
}

/** The actor of a change, and its request. */
export interface Origin {
  actor: Actor
  requestId: string | null
  address: string | null
}

/** The maker of something, as its row names them: a public id, else the kind of the actor. */
export const creatorOf = ({ actor }: Origin): string => actor.id ?? actor.kind

export const serviceOrigin: Origin = {
  actor: { kind: 'service', id: null },
  requestId: null,
  address: null,
}

export interface Change {
  /** UUID, or INSTALLATION. */
  workspaceId: string
  action: AuditAction
  /** Public id. */
  resource?: { kind: string; id: string }
  /** UUID of the device concerned, if any: events of one device keep their order. */
  subjectId?: string
  /** Payload of the event; never a secret. */
  data?: Record<string, unknown>
  /** Shown by the audit log only, such as fields before and after; never a secret. */
  detail?: Record<string, unknown>
}
