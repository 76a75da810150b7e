/**
 * What a device's MQTT credential is worth: its secrets, and the rules that its grant is made of.
 */
import type { Grant, Session, TopicRule } from '../../broker/port.ts'
import { DEFAULT_DEVICE_RULES, fillTopic } from '../../broker/topics.ts'
import { formatId } from '../../lib/ids.ts'
import { constantTimeEqual } from '../../lib/secrets.ts'
import type { CredentialRow } from './store.ts'

export interface Secret {
  generation: number
  hash: Buffer
  /** Milliseconds since the epoch; null once it is confirmed. */
  expiresAt: number | null
  /** SHA-256 of the text, in base64, once it was shown here; undefined before. */
  recognisedBy: string | undefined
}

export interface DeviceCredential {
  workspaceId: string
  deviceId: string
  /** The id as callers see it; also the MQTT user name. */
  principalId: string
  deviceKey: string
  slug: string
  templateId: string | null
  status: CredentialRow['status']
  isApproved: boolean
  workspaceIsActive: boolean
  /** Connections with a lesser incarnation are ended. */
  sessionsFrom: number
  secrets: readonly Secret[]
  rules: readonly TopicRule[]
}

export function toCredential(row: CredentialRow): DeviceCredential {
  const principalId = formatId('dev', row.id)
  const variables = { slug: row.slug, device_key: row.device_key, device_id: principalId }
  const template = row.mqtt_acl !== null && row.mqtt_acl.length > 0 ? row.mqtt_acl : undefined
  return {
    workspaceId: row.workspace_id,
    deviceId: row.id,
    principalId,
    deviceKey: row.device_key,
    slug: row.slug,
    templateId: row.template_id,
    status: row.status,
    isApproved: row.approval === 'approved',
    workspaceIsActive: row.workspace_status === 'active',
    sessionsFrom: row.sessions_from,
    secrets: (row.secrets ?? []).map(({ generation, hash, expires_at }) => ({
      generation,
      hash: Buffer.from(hash, 'base64'),
      expiresAt: expires_at,
      recognisedBy: undefined,
    })),
    rules: (template ?? DEFAULT_DEVICE_RULES).map((rule) => ({
      ...rule,
      topic: fillTopic(rule.topic, variables),
    })),
  }
}

const isLive = ({ expiresAt }: Secret, now: number): boolean =>
  expiresAt === null || expiresAt > now

/**
 * The secret that was shown, if it was shown before. Its plain hash costs a tenth of the keyed one
 * and its checksum. That it is compared in no constant time tells nobody anything: who learnt the
 * whole hash of 256 random bits would be no nearer to them.
 */
export const recogniseSecret = (
  credential: DeviceCredential,
  plainHash: string,
  now: number,
): Secret | undefined =>
  credential.secrets.find((secret) => secret.recognisedBy === plainHash && isLive(secret, now))

/** The secret that was shown, if it is one of the credential's and admits now. */
export function matchSecret(
  credential: DeviceCredential,
  hash: Buffer,
  now: number,
): Secret | undefined {
  let found: Secret | undefined
  for (const secret of credential.secrets) {
    const equal = constantTimeEqual(secret.hash, hash)
    if (equal && isLive(secret, now)) found = secret
  }
  return found
}

export const grantOf = (credential: DeviceCredential, generation: number): Grant => ({
  principalId: credential.principalId,
  workspaceId: formatId('ws', credential.workspaceId),
  credentialVersion: generation,
  topicPrefix: `${credential.slug}/${credential.deviceKey}`,
  isFirst: credential.status === 'registered',
  rules: credential.rules,
})

/** Whether the credential lets its device in, apart from the secret. */
export const admits = ({ status, isApproved, workspaceIsActive }: DeviceCredential): boolean =>
  workspaceIsActive && isApproved && (status === 'registered' || status === 'active')

/** Why a device with a good secret is not let in; undefined when it is. */
export function whyBanned(credential: DeviceCredential): string | undefined {
  if (admits(credential)) return undefined
  if (!credential.workspaceIsActive) return 'workspace_inactive'
  return credential.isApproved ? credential.status : 'not_approved'
}

/**
 * The client id is the user name, the device key or the device id (which is the user name), or one
 * of them followed by `:` and a suffix for a further connection.
 */
export function ownsClientId(credential: DeviceCredential, clientId: string): boolean {
  const separator = clientId.indexOf(':')
  const base = separator < 0 ? clientId : clientId.slice(0, separator)
  return base === credential.principalId || base === credential.deviceKey
}

/** Whether a live session may go on, whatever it may do. */
export const stillAdmitted = (
  credential: DeviceCredential,
  { grant, incarnation }: Pick<Session, 'grant' | 'incarnation'>,
): boolean =>
  admits(credential) &&
  incarnation >= credential.sessionsFrom &&
  credential.secrets.some(({ generation }) => generation === grant.credentialVersion)

/** Whether a live session has the rules that its credential has now. */
export const hasRulesOf = (
  { rules }: Pick<DeviceCredential, 'rules'>,
  { grant }: Pick<Session, 'grant'>,
): boolean => grant.rules === rules || JSON.stringify(grant.rules) === JSON.stringify(rules)
