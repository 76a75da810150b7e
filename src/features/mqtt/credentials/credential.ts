/**
 * An MQTT credential of any kind of principal: its secrets, why it is denied, and the topic rules
 * of the grants that are issued for it.
 */
import { hash } from 'node:crypto'
import type { Grant, Session, TopicRule } from '../../../adapters/broker/port.ts'
import type { TrafficMeter } from '../../../adapters/broker/traffic-meter.ts'
import { constantTimeEqual } from '../../../platform/lib/secrets.ts'
import type { Identity } from './identity.ts'

export interface Secret {
  generation: number
  /** In base64: a small buffer would keep the whole pool alive that it is a slice of. */
  hash: string
  /** Milliseconds since the epoch; null once it is confirmed. */
  expiresAt: number | null
  /** Whether the database records that the secret was presented. */
  isUsed: boolean
  /** SHA-256 of the text, in base64, once it was presented in this process. */
  recognisedBy: string | undefined
}

export interface Credential extends Identity {
  workspaceId: string
  publicWorkspaceId: string
  /** Its client ids; each may be followed by `:` and a suffix. */
  clientIds: readonly string[]
  topicPrefix: string
  /** UUID of the device's template. */
  templateId: string | null
  /** Whether it has never connected before, to the best of our knowledge. */
  isFirst: boolean
  /** Whether it will never be admitted again. */
  isGone: boolean
  /** Why it is denied although its secret is right; undefined if it is admitted. */
  denial: string | undefined
  /** When it expires, in milliseconds since the epoch; null: never. */
  expiresAt: number | null
  /** Sessions with a smaller incarnation are ended. */
  sessionsFrom: number
  secrets: readonly Secret[]
  /** In order of precedence, with all variables substituted. */
  rules: readonly TopicRule[]
  /** UUIDs of the rows that it was read from: a change of any of them may change it. */
  refs: readonly string[]
}

/** Kinds of changes that may affect a credential. */
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
 * The presented secret, if it was presented here before. The plain hash costs a tenth of the keyed
 * one and the checksum. The comparison need not take constant time: even the whole hash of 256
 * random bits does not help to find them.
 */
export const recogniseSecret = (
  credential: Credential,
  plainHash: string,
  now: number,
): Secret | undefined =>
  credential.secrets.find((secret) => secret.recognisedBy === plainHash && isLive(secret, now))

/** The presented secret, if it is one of the credential's and has not expired. */
export function matchSecret(credential: Credential, hash: Buffer, now: number): Secret | undefined {
  let found: Secret | undefined
  for (const secret of credential.secrets) {
    const equal = constantTimeEqual(Buffer.from(secret.hash, 'base64'), hash)
    if (equal && isLive(secret, now)) found = secret
  }
  return found
}

/** A credential and the one of its secrets that was presented. */
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

/** What a grant was decided on. */
export interface Basis extends Match {
  /** Sequence of the change feed before anything was read. */
  since: number
}

export const grantOf = (
  credential: Credential,
  generation: number,
  meter?: TrafficMeter,
  basis?: Basis,
): Grant => ({
  principalId: credential.name,
  workspaceId: credential.publicWorkspaceId,
  credentialVersion: generation,
  topicPrefix: credential.topicPrefix,
  isFirst: credential.isFirst,
  expiresAt: credential.expiresAt,
  // A retained command would be delivered even after the device was claimed by somebody else.
  mayRetain: credential.kind !== 'phone',
  rules: credential.rules,
  meter,
  basis,
})

/** Only grants that the authority issued for a CONNECT have one. */
export const basisOf = ({ basis }: Grant): Basis | undefined => basis as Basis | undefined

/** Why a principal with a valid secret is denied; undefined if it is admitted. */
export const denialReason = (
  credential: Pick<Credential, 'denial' | 'expiresAt'>,
  now: number,
): string | undefined => credential.denial ?? (isLive(credential, now) ? undefined : 'expired')

/** Whether it has a secret that has not expired. */
export const hasLiveSecret = ({ secrets }: Pick<Credential, 'secrets'>, now: number): boolean =>
  secrets.some((secret) => isLive(secret, now))

/** A suffix after `:` distinguishes several connections of one credential. */
export function ownsClientId({ clientIds }: Credential, clientId: string): boolean {
  const separator = clientId.indexOf(':')
  return clientIds.includes(separator < 0 ? clientId : clientId.slice(0, separator))
}

/** Whether a live session may stay, regardless of its rules. */
export const stillAdmitted = (
  credential: Credential,
  { grant, incarnation }: Pick<Session, 'grant' | 'incarnation'>,
  now: number,
): boolean =>
  denialReason(credential, now) === undefined &&
  incarnation >= credential.sessionsFrom &&
  credential.secrets.some(({ generation }) => generation === grant.credentialVersion)

/** Whether a live session has the current rules of its credential. */
export const hasRulesOf = (
  { rules }: Pick<Credential, 'rules'>,
  { grant }: Pick<Session, 'grant'>,
): boolean => grant.rules === rules || JSON.stringify(grant.rules) === JSON.stringify(rules)
