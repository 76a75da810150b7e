/** Decisions shared by the hooks of all kinds of brokers. */
import { isIP } from 'node:net'
import { andThen, type MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import type { ConnectDecision } from '../port.ts'
import { type Fields, type HookCall, textOf } from './hook.ts'
import { admitService, isService, serviceRights } from './service-login.ts'

/** A client as the broker identifies it. */
interface Client {
  username: string | undefined
  password: string | undefined
  clientId: string
  /** The peer's IP address, if the broker passes it. */
  address: string | undefined
  protocolVersion: number
}

/** Most brokers do not pass the MQTT version. */
const UNKNOWN_VERSION = 0

/**
 * Whether a client id cannot collide on a broker shared by workspaces: it is the principal's own id
 * or starts with it. A device key may also exist in another workspace.
 */
const isOwnEverywhere = (principalId: string, clientId: string): boolean =>
  clientId === principalId || clientId.startsWith(`${principalId}:`)

/** The session's client id for brokers that accept another one in the response. */
export const ownName = (principalId: string, clientId: string): string =>
  isOwnEverywhere(principalId, clientId) ? clientId : `${principalId}:${clientId}`

/**
 * Decides a CONNECT and notifies the authority.
 * @param canRename whether the broker can give the session another client id
 */
export function admit(
  call: Pick<HookCall, 'authority' | 'broker' | 'admitted'>,
  { username, password, clientId, address, protocolVersion }: Client,
  canRename = false,
): MaybePromise<ConnectDecision> {
  const { authority, broker } = call
  const nameThere = canRename ? ownName(username ?? '', clientId) : clientId
  const request = {
    clientId,
    username,
    password: password === undefined ? undefined : Buffer.from(password),
    // Throttling of wrong secrets by address falls back to the broker's name.
    address: address !== undefined && isIP(address) > 0 ? address : broker.name,
    protocolVersion,
    external: { broker: broker.name, clientId: nameThere },
  }
  if (isService(broker, username)) {
    const asService = admitService(broker, password)
    if (!asService.accepted) authority.refused(request, asService)
    return asService
  }
  // Without a client id the secret is still checked, but access never granted.
  const isOwn = canRename || (username !== undefined && isOwnEverywhere(username, clientId))
  const asked = authority.connect(isOwn ? request : { ...request, clientId: '' })
  return andThen(asked, (decision) => {
    if (decision.accepted) call.admitted(request, decision.grant)
    else authority.refused(request, decision)
    return decision
  })
}

export const clientOf = (fields: Fields, names: { clientId: string; address: string }): Client => ({
  username: textOf(fields, 'username'),
  password: textOf(fields, 'password'),
  clientId: textOf(fields, names.clientId) ?? '',
  address: textOf(fields, names.address),
  protocolVersion: UNKNOWN_VERSION,
})

/**
 * The rights that a connected client has now. The reason of a refusal is the authority's.
 * @param canRename as for `admit`
 */
export async function rightsOf(
  { authority, broker }: Pick<HookCall, 'authority' | 'broker'>,
  username: string,
  clientId: string,
  canRename = false,
): Promise<ConnectDecision> {
  if (isService(broker, username)) return serviceRights(username)
  const isOwn = canRename || isOwnEverywhere(username, clientId)
  return isOwn
    ? authority.authorize(username, clientId)
    : { accepted: false, reason: 'client_id_invalid' }
}
