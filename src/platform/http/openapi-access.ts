/** Credentials and permissions in the OpenAPI document. */
import { type Permission, permissions } from '../access/permissions.ts'
import type { AccessKind } from '../access/principal.ts'
import type { Described } from './openapi-failures.ts'
import type { Json } from './openapi-schemas.ts'

const bearer = (description: string, format?: string): Json => ({
  type: 'http',
  scheme: 'bearer',
  ...(format !== undefined && { bearerFormat: format }),
  description,
})

const header = (name: string, description: string): Json => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
})

export const securitySchemes: Json = {
  Bearer: bearer(
    'Access token of a signed-in user, from POST /auth/login. Valid for 15 minutes. POST /auth/refresh returns a new one.',
    'JWT',
  ),
  ApiKeyAuth: header(
    'X-API-Key',
    'Platform API key (`service_ak_…`) of a backend. Gives the rights of an admin in one ' +
      'workspace.',
  ),
  ApiKeyBearer: bearer('The platform API key, sent as a bearer token.'),
  ServiceAuthCode: header(
    'service-auth-code',
    'Provision API key (`service_pk_…`) of a factory, sent without a scheme. For ' +
      '`/provision/*` only.',
  ),
  DeviceHttpToken: bearer(
    'HTTP token of a device (`dht_…`), from provisioning: for `/devices/auth/*` only.',
  ),
  MoidJwt: bearer(
    'Access token of a mobile identity, from POST /moid/session. For `/moid/*` only. Valid for 15 minutes. POST /moid/refresh returns a new one.',
    'JWT',
  ),
}

const schemesOf: Record<AccessKind, readonly string[]> = {
  user: ['Bearer'],
  'platform-key': ['ApiKeyAuth', 'ApiKeyBearer'],
  'provision-key': ['ServiceAuthCode'],
  device: ['DeviceHttpToken'],
  moid: ['MoidJwt'],
  operator: ['Bearer'],
}

/** Alternatives, any of which suffices; the empty list means none is needed. */
export const securityOf = ({ access }: Described): Json[] =>
  access === 'public'
    ? []
    : access.flatMap((kind) => schemesOf[kind]).map((scheme) => ({ [scheme]: [] }))

/** `x-roles`: holders of each permission, for clients that show what a person may do. */
export const holdersOfPermissions: Json = Object.fromEntries(
  Object.entries(permissions).map(([name, { roles, platformKey, may }]) => [
    name,
    { roles, platform_keys: platformKey, may },
  ]),
)

function holdersOf(permission: Permission, { access }: Described): string {
  const { roles, platformKey } = permissions[permission]
  const holders: string[] = access.includes('user') ? [...roles] : []
  if (platformKey && access.includes('platform-key')) holders.push('platform keys')
  return holders.join(', ')
}

/** That users must have authenticated lately, as a sentence. */
export const freshProofSentence = ({ needsFreshProof, access }: Described): string | undefined =>
  needsFreshProof
    ? `${access.includes('platform-key') ? 'Users' : 'The caller'} must have proved the password or a second factor within the last ten minutes: see POST /auth/reauthenticate.`
    : undefined

/** The roles and keys that may call an operation, as a sentence. */
export function permissionSentence(operation: Described): string | undefined {
  const { permission, alsoNeeds, selfParam } = operation
  if (permission === undefined) return undefined
  const holders = holdersOf(permission, operation)
  const first = `Needs the permission \`${permission}\` in the workspace: ${holders}.`
  const more = alsoNeeds.map(
    (name) => `To ${permissions[name].may}, also \`${name}\`: ${holdersOf(name, operation)}.`,
  )
  const self = selfParam === undefined ? [] : ['Users need no permission to do it to themselves.']
  return [first, ...more, ...self].join(' ')
}
