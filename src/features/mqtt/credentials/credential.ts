/**
 * What an MQTT credential is worth, whoever it belongs to: its secrets, what may keep it out, and
 * the rules that its grant is made of.
 */
import { hash } from 'node:crypto'
import type { Grant, Session, TopicRule } from '../../../adapters/broker/port.ts'
import type { TrafficMeter } from '../../../adapters/broker/traffic-meter.ts'
import { constantTimeEqual } from '../../../platform/lib/secrets.ts'
import type { Identity } from './identity.ts'

export interface Secret {
  generation: number
  /** In base64: a small buffer would hold on to the pool that it was cut from. */
  hash: string
  /** Milliseconds since the epoch; null once it is confirmed. */
  expiresAt: number | null
  /** Whether the database has it that the secret was presented. */
  isUsed: boolean
  /** SHA-256 of the text, in base64, once it was shown here; undefined before. */
  recognisedBy: string | undefined
}

export interface Credential extends Identity {
  workspaceId: string
  /** The same as callers see it. */
  publicWorkspaceId: string
  /** What its client ids are, or begin with before a `:` and a suffix. */
  clientIds: readonly string[]
  topicPrefix: string
  /** UUID of the template that a device has. */
  templateId: string | null
  /** Whether it was never connected before, as far as is known. */
  isFirst: boolean
  /** Whether it is over for good. */
  isGone: boolean
  /** Why it isn't let in, however good its secret is; undefined when it is. */
  ban: string | undefined
  /** Milliseconds since the epoch, from when on it isn't let in; null: never. */
  expiresAt: number | null
  /** Connections with a lesser incarnation are ended. */
  sessionsFrom: number
  secrets: readonly Secret[]
  /** In the order in which they are tried, with every variable filled in. */
  rules: readonly TopicRule[]
  /** UUIDs of what it is made of: a change of any of them may change it. */
  refs: readonly string[]
}

/** The changes that a credential may hang on. */
export const credentialChanges = [
  'device',
  'moid-devices',
  'moid-session',
  'mqtt-login',
  'mqtt-principal',
  'template',
  'workspace',
] as const

const isLive = ({ expiresAt }: Pick<Secret, 'expiresAt'>, now: number): boolean =>
  expiresAt === null || expiresAt > now

/** SHA-256, in base64. */
export const plainHashOf = (secret: Buffer): string => hash('sha256', secret, 'base64')

/**
 * The secret that was shown, if it was shown before. Its plain hash costs a tenth of the keyed one
 * and its checksum. That it is compared in no constant time tells nobody anything: who learnt the
 * whole hash of 256 random bits would be no nearer to them.
 */
export const recogniseSecret = (
  credential: Credential,
  plainHash: string,
  now: number,
): Secret | undefined =>
  credential.secrets.find((secret) => secret.recognisedBy === plainHash && isLive(secret, now))

/** The secret that was shown, if it is one of the credential's and admits now. */
export function matchSecret(credential: Credential, hash: Buffer, now: number): Secret | undefined {
  let found: Secret | undefined
  for (const secret of credential.secrets) {
    const equal = constantTimeEqual(Buffer.from(secret.hash, 'base64'), hash)
    if (equal && isLive(secret, now)) found = secret
  }
  return found
}

/** A credential with the secret of it that was shown. */
export interface Match {
  credential: Credential
  secret: Secret
}

export function matchOf(
  credential: Credential | undefined,
  keyedHash: Buffer,
  now: number,
): Match | undefined {
  const secret = credential && matchSecret(credential, keyedHash, now)
  return credential && secret && { credential, secret }
}

export const grantOf = (
  credential: Credential,
  generation: number,
  meter?: TrafficMeter,
): Grant => ({
  principalId: credential.name,
  workspaceId: credential.publicWorkspaceId,
  credentialVersion: generation,
  topicPrefix: credential.topicPrefix,
  isFirst: credential.isFirst,
  expiresAt: credential.expiresAt,
  // A command that is retained would wait for whoever the device is bound to next.
  mayRetain: credential.kind !== 'phone',
  rules: credential.rules,
  meter,
})

/** Why somebody with a good secret is not let in; undefined when they are. */
export const whyBanned = (
  credential: Pick<Credential, 'ban' | 'expiresAt'>,
  now: number,
): string | undefined => credential.ban ?? (isLive(credential, now) ? undefined : 'expired')

/** Whether there is a secret that would be taken. */
export const hasLiveSecret = ({ secrets }: Pick<Credential, 'secrets'>, now: number): boolean =>
  secrets.some((secret) => isLive(secret, now))

/** Whether the credential lets its holder in, apart from the secret. */
export const admits = (credential: Credential, now: number): boolean =>
  whyBanned(credential, now) === undefined

/** Several connections of one credential are told apart by what follows a `:`. */
export function ownsClientId({ clientIds }: Credential, clientId: string): boolean {
  const separator = clientId.indexOf(':')
  return clientIds.includes(separator < 0 ? clientId : clientId.slice(0, separator))
}

/** Whether a live session may go on, whatever it may do. */
export const stillAdmitted = (
  credential: Credential,
  { grant, incarnation }: Pick<Session, 'grant' | 'incarnation'>,
  now: number,
): boolean =>
  admits(credential, now) &&
  incarnation >= credential.sessionsFrom &&
  credential.secrets.some(({ generation }) => generation === grant.credentialVersion)

/** Whether a live session has the rules that its credential has now. */
export const hasRulesOf = (
  { rules }: Pick<Credential, 'rules'>,
  { grant }: Pick<Session, 'grant'>,
): boolean => grant.rules === rules || JSON.stringify(grant.rules) === JSON.stringify(rules)
