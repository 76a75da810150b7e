/**
 * What a grant was decided on. It stands on the grant itself, which brokers don't see: a weak map
 * beside the grants costs as much for each CONNECT as the decision.
 */
import type { Grant } from '../../broker/port.ts'
import type { Credential, Secret } from './credential.ts'

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
