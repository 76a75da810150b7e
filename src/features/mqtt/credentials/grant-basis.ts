/**
 * What a grant was decided on. It stands on the grant itself, which brokers don't see: a weak map
 * beside the grants costs as much for each CONNECT as the decision.
 */
import type { Grant } from '../../../adapters/broker/port.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import type { Credential, Secret } from './credential.ts'
import { type Identity, readIdentity } from './identity.ts'

interface Basis {
  /** The feed's sequence before anything was read. */
  since: number
  credential: Credential
  /** The one that was shown. */
  secret: Secret
}

const key = Symbol('basis')

interface DecidedGrant extends Grant {
  [key]?: Basis
}

/** @returns the same grant. */
export function basedOn(grant: DecidedGrant, basis: Basis): Grant {
  grant[key] = basis
  return grant
}

/** Undefined for a grant that the authority has not decided. */
export const basisOf = ({ [key]: basis }: DecidedGrant): Basis | undefined => basis

/** Who holds a grant, and the UUID of the workspace; undefined where its ids are none of ours. */
export function holderOf(grant: Grant): { identity: Identity; workspaceId: string } | undefined {
  const credential = basisOf(grant)?.credential
  if (credential !== undefined) return { identity: credential, workspaceId: credential.workspaceId }
  const identity = readIdentity(grant.principalId)
  const workspaceId = parseId('ws', grant.workspaceId)
  return identity && workspaceId !== undefined ? { identity, workspaceId } : undefined
}
