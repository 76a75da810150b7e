/** Configuration variables that limit what unauthenticated callers can create as phones. */
import { limit } from './kinds.ts'

export const moidLimitVariables = {
  limitMoidSessions: limit(
    'MOORING_LIMIT_MOID_SESSIONS',
    100,
    'Sessions of mobile identities that one address may open in an hour, per workspace.',
  ),
  limitMoidSessionsOfWorkspace: limit(
    'MOORING_LIMIT_MOID_SESSIONS_OF_WORKSPACE',
    3_000,
    'The same of all addresses together, per workspace.',
  ),
  limitMoidClaims: limit(
    'MOORING_LIMIT_MOID_CLAIMS',
    100,
    'Claims in an hour that mobile identities without a device may start from one address, per workspace.',
  ),
  limitMoidClaimsOfWorkspace: limit(
    'MOORING_LIMIT_MOID_CLAIMS_OF_WORKSPACE',
    3_000,
    'The same of all addresses together, per workspace.',
  ),
  limitMoidCallsOfWorkspace: limit(
    'MOORING_LIMIT_MOID_CALLS_OF_WORKSPACE',
    6_000,
    'Calls a minute of all mobile identities without a device, per workspace.',
  ),
} as const
