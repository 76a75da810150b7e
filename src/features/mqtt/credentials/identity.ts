/**
 * The principal that an MQTT user name identifies. The user name is the public id: its prefix gives
 * the kind, and it is unique across workspaces.
 */
import { formatId, parseId } from '../../../platform/lib/ids.ts'

const prefixes = { device: 'dev', principal: 'mqp', phone: 'mqm' } as const

/** `principal`: an MQTT client that is not a device; `phone`: a login of a mobile identity. */
export type IdentityKind = keyof typeof prefixes

/** Kinds that exist until they are deleted: they have own rules and a connection log. */
export type LastingKind = Exclude<IdentityKind, 'phone'>

export interface Identity<Kind extends IdentityKind = IdentityKind> {
  kind: Kind
  /** UUID. */
  id: string
  /** The public id, which is also the user name. */
  name: string
}

const kinds = Object.keys(prefixes) as IdentityKind[]

/** Undefined if the text cannot be a user name of this service. */
export function readIdentity(name: string): Identity | undefined {
  for (const kind of kinds) {
    const id = parseId(prefixes[kind], name)
    if (id !== undefined) return { kind, id, name }
  }
  return undefined
}

/** @param id UUID */
export const nameOf = (kind: IdentityKind, id: string): string => formatId(prefixes[kind], id)

export const isLasting = (identity: Identity | undefined): identity is Identity<LastingKind> =>
  identity !== undefined && identity.kind !== 'phone'
