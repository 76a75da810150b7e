/**
 * An MQTT credential of any kind of principal: its secrets, and the grants that are issued for it.
 */
import { hash } from 'node:crypto'
import type { Grant, GrantBasis, Session, TopicRule } from '../../../adapters/broker/port.ts'
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

/** Whether it has not expired. */
export const isLive = ({ expiresAt }: Pick<Secret, 'expiresAt'>, now: number): boolean =>
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

export const grantOf = (
  credential: Credential,
  generation: number,
  meter?: TrafficMeter,
  basis?: GrantBasis,
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

/** The generation of its newest secret that has not expired; 0 if it has none. */
export const newestGeneration = ({ secrets }: Pick<Credential, 'secrets'>, now: number): number =>
  secrets.reduce(
    (newest, secret) => (isLive(secret, now) ? Math.max(newest, secret.generation) : newest),
    0,
  )

/** Whether a live session has the current rules of its credential. */
export const hasRulesOf = (
  { rules }: Pick<Credential, 'rules'>,
  { grant }: Pick<Session, 'grant'>,
): boolean => grant.rules === rules || JSON.stringify(grant.rules) === JSON.stringify(rules)
