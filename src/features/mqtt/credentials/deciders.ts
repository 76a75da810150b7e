/**
 * Decides whether a session may exist. `src/app/mqtt.ts` lists the deciders in order, and the first
 * one that refuses gives the reason. The same list decides each CONNECT whose credential and secret
 * are known, and each later question whether a session may stay.
 */
import type { ConnectRefusal, ConnectRequest, Grant } from '../../../adapters/broker/port.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import type { MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import { admitsByHosts } from '../../domains/ownership/domain-admission.ts'
import type { DomainDirectory } from '../../domains/ownership/directory.ts'
import { type Credential, isLive } from './credential.ts'

/** A CONNECT, or a session that may stay: undefined members are not decided on. */
export interface Asked {
  clientId?: string | undefined
  /** As in `ConnectRequest`. */
  hosts?: readonly string[] | undefined
  /** As in `Session`. */
  incarnation?: number | undefined
  grant?: Pick<Grant, 'credentialVersion'> | undefined
}

/** Asks whether a credential may have any session. */
export const ANY_SESSION: Asked = {}

/** @returns why the session may not exist; undefined leaves it to the next decider */
export type Decider<Input = Asked> = (
  asked: Input,
  credential: Credential,
) => MaybePromise<ConnectRefusal | undefined>

/** A domain admits only clients of its own workspace. */
export const decideByHosts =
  (domains: Pick<DomainDirectory, 'find'>) =>
  (
    { hosts = [] }: Pick<Asked, 'hosts'>,
    { workspaceId }: Pick<Credential, 'workspaceId'>,
  ): MaybePromise<ConnectRefusal | undefined> =>
    hosts.length === 0
      ? undefined
      : admitsByHosts(domains, hosts, workspaceId).then((isAdmitted) =>
          isAdmitted ? undefined : { reason: 'bad_credentials', detail: 'other_domain' },
        )

/** A suffix after `:` distinguishes several connections of one credential. */
export const decideByClientId: Decider = ({ clientId }, { clientIds }) => {
  if (clientId === undefined) return undefined
  const separator = clientId.indexOf(':')
  const isOwn = clientIds.includes(separator < 0 ? clientId : clientId.slice(0, separator))
  return isOwn ? undefined : { reason: 'client_id_invalid' }
}

/** Refuses suspended, unapproved and expired principals, and those of inactive workspaces. */
export const decideByStatus =
  (clock: Clock): Decider =>
  (_asked, credential) => {
    const detail = credential.denial ?? (isLive(credential, clock.now()) ? undefined : 'expired')
    return detail === undefined ? undefined : { reason: 'banned', detail }
  }

/** Refuses sessions of secrets that no longer exist, and those that began before a reset. */
export const decideByAge: Decider = ({ incarnation, grant }, { sessionsFrom, secrets }) => {
  if (incarnation !== undefined && incarnation < sessionsFrom) {
    return { reason: 'banned', detail: 'session_reset' }
  }
  if (grant === undefined) return undefined
  return secrets.some(({ generation }) => generation === grant.credentialVersion)
    ? undefined
    : { reason: 'banned', detail: 'no_secret' }
}

/**
 * The limit of connected devices in the workspace's plan. The sessions of external brokers are not
 * counted, since their end is not reported.
 * @param isConnected whether a principal already has a session in this process
 * @param findRefusal reserves a place for the device unless the limit is reached
 */
export const decideByPlan =
  (
    isConnected: (principalId: string) => boolean,
    findRefusal: (device: Credential) => MaybePromise<ConnectRefusal | undefined>,
  ): Decider<ConnectRequest> =>
  ({ external }, credential) =>
    external === undefined && credential.kind === 'device' && !isConnected(credential.name)
      ? findRefusal(credential)
      : undefined

/** Asks the deciders in order, without a promise if none of them returns one. */
export function firstRefusal<Input>(
  deciders: readonly Decider<Input>[],
  asked: Input,
  credential: Credential,
  from = 0,
): MaybePromise<ConnectRefusal | undefined> {
  for (let at = from; at < deciders.length; at += 1) {
    const refusal = (deciders[at] as Decider<Input>)(asked, credential)
    if (refusal instanceof Promise) {
      return refusal.then((made) => made ?? firstRefusal(deciders, asked, credential, at + 1))
    }
    if (refusal !== undefined) return refusal
  }
  return undefined
}
