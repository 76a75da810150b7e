/** What all hooks ask of the authority, whatever their broker calls it. */
import { isIP } from 'node:net'
import { afterwards, type Soon } from '../../lib/soon.ts'
import type { ConnectDecision } from '../port.ts'
import { type CompiledRules, compiledOnce } from '../topics.ts'
import { type Denial, denialOf, type Fields, type HookCall, textOf } from './hook.ts'
import { admitService, isService, serviceRights } from './service-login.ts'

/** What connects, as the broker names it. */
interface Client {
  username: string | undefined
  password: string | undefined
  clientId: string
  /** The peer's IP address, where the broker tells it. */
  address: string | undefined
  protocolVersion: number
}

/** MQTT's version is not told by most brokers. */
const UNKNOWN_VERSION = 0

/**
 * Whether a client id can't be anybody else's on a broker that workspaces share: it is the
 * principal's own id, or begins with it. A device key may be one in another workspace as well.
 */
const isOwnEverywhere = (principalId: string, clientId: string): boolean =>
  clientId === principalId || clientId.startsWith(`${principalId}:`)

/** What a broker that takes another client id for a session from the answer is told. */
export const ownName = (principalId: string, clientId: string): string =>
  isOwnEverywhere(principalId, clientId) ? clientId : `${principalId}:${clientId}`

/**
 * Decides a CONNECT, and tells the authority what came of it.
 * @param canRename whether the broker takes another client id for the session from the answer.
 */
export function admit(
  call: Pick<HookCall, 'authority' | 'broker' | 'admitted'>,
  { username, password, clientId, address, protocolVersion }: Client,
  canRename = false,
): Soon<ConnectDecision> {
  const { authority, broker } = call
  const nameThere = canRename ? ownName(username ?? '', clientId) : clientId
  const request = {
    clientId,
    username,
    password: password === undefined ? undefined : Buffer.from(password),
    // Who counts wrong secrets by address counts them by broker where that is all that is known.
    address: address !== undefined && isIP(address) > 0 ? address : broker.name,
    protocolVersion,
    elsewhere: { broker: broker.name, clientId: nameThere },
  }
  if (isService(broker, username)) {
    const asService = admitService(broker, password)
    if (!asService.accepted) authority.refused(request, asService.reason)
    return asService
  }
  // With no client id at all the secret is looked at, and nothing is ever let in.
  const isOwn = canRename || (username !== undefined && isOwnEverywhere(username, clientId))
  const asked = authority.connect(isOwn ? request : { ...request, clientId: '' })
  return afterwards(asked, (decision) => {
    if (decision.accepted) call.admitted(request, decision.grant)
    else authority.refused(request, decision.reason)
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

/** What somebody who is connected may now. The reason of a refusal is the authority's. */
export async function rightsOf(
  { authority, broker }: Pick<HookCall, 'authority' | 'broker'>,
  username: string,
  clientId: string,
): Promise<ConnectDecision> {
  if (isService(broker, username)) return serviceRights(username)
  const isOwn = broker.kind === 'emqx' || isOwnEverywhere(username, clientId)
  return isOwn
    ? authority.authorize(username, clientId)
    : { accepted: false, reason: 'client_id_invalid' }
}

/**
 * Decides about one topic, for brokers that name it `topic`, and who wants it `username` and
 * `clientid`. @returns undefined for a yes, else why not.
 */
export async function decideTopic(
  call: Pick<HookCall, 'authority' | 'broker' | 'fields'>,
  may: (rules: CompiledRules, topic: string) => boolean,
): Promise<Denial | undefined> {
  const { fields } = call
  const username = textOf(fields, 'username')
  const clientId = textOf(fields, 'clientid')
  const topic = textOf(fields, 'topic')
  if (username === undefined || clientId === undefined || topic === undefined) return 'malformed'
  const decision = await rightsOf(call, username, clientId)
  if (!decision.accepted) return denialOf(decision.reason)
  return may(compiledOnce(decision.grant.rules), topic) ? undefined : 'refused'
}
