/**
 * Who a user name of MQTT names. It is the id as callers see it, so its prefix says where the
 * credential stands, and no two of any workspace share one.
 */
import { formatId, parseId } from '../../../platform/lib/ids.ts'

const prefixes = { device: 'dev', principal: 'mqp', phone: 'mqm' } as const

/** `principal`: who is no device, `mqp_…`; `phone`: a login of a mobile identity, `mqm_…`. */
export type IdentityKind = keyof typeof prefixes

/** Who stays until somebody deletes them: these have rules of their own, and a log. */
export type LastingKind = Exclude<IdentityKind, 'phone'>

export interface Identity<Kind extends IdentityKind = IdentityKind> {
  kind: Kind
  /** UUID. */
  id: string
  /** The id as callers see it; also the user name. */
  name: string
}

const kinds = Object.keys(prefixes) as IdentityKind[]

/** Undefined for what can't be a user name of ours. */
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
