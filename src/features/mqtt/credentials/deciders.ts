/**
 * The deciders of a CONNECT whose credential and secret are known. `src/app/mqtt.ts` lists them in
 * order; the first one that refuses gives the reason.
 */
import type { ConnectRefusal, ConnectRequest } from '../../../adapters/broker/port.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import type { MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import { admitsByHosts } from '../../domains/ownership/domain-admission.ts'
import type { DomainDirectory } from '../../domains/ownership/directory.ts'
import { type Credential, denialReason, type Match, ownsClientId } from './credential.ts'

/** @returns why the CONNECT is refused; undefined leaves it to the next decider */
export type Decider = (
  request: ConnectRequest,
  match: Match,
) => MaybePromise<ConnectRefusal | undefined>

/** A domain admits only clients of its own workspace. */
export const decideByHosts =
  (domains: Pick<DomainDirectory, 'find'>): Decider =>
  ({ hosts = [] }, { credential }) =>
    hosts.length === 0
      ? undefined
      : admitsByHosts(domains, hosts, credential.workspaceId).then((isAdmitted) =>
          isAdmitted ? undefined : { reason: 'bad_credentials', detail: 'other_domain' },
        )

export const decideByClientId: Decider = ({ clientId }, { credential }) =>
  ownsClientId(credential, clientId) ? undefined : { reason: 'client_id_invalid' }

/** Refuses suspended, unapproved and expired principals, and those of inactive workspaces. */
export const decideByStatus =
  (clock: Clock): Decider =>
  (_request, { credential }) => {
    const detail = denialReason(credential, clock.now())
    return detail === undefined ? undefined : { reason: 'banned', detail }
  }

/**
 * The limit of connected devices in the workspace's plan.
 * @param isConnected whether a principal already has a session in this process
 * @param findRefusal reserves a place for the device unless the limit is reached
 */
export const decideByPlan =
  (
    isConnected: (principalId: string) => boolean,
    findRefusal: (device: Credential) => MaybePromise<ConnectRefusal | undefined>,
  ): Decider =>
  (_request, { credential }) =>
    credential.kind === 'device' && !isConnected(credential.name)
      ? findRefusal(credential)
      : undefined

/** Asks the deciders in order, without a promise if none of them returns one. */
export function firstRefusal(
  deciders: readonly Decider[],
  request: ConnectRequest,
  match: Match,
  from = 0,
): MaybePromise<ConnectRefusal | undefined> {
  for (let at = from; at < deciders.length; at += 1) {
    const refusal = (deciders[at] as Decider)(request, match)
    if (refusal instanceof Promise) {
      return refusal.then((made) => made ?? firstRefusal(deciders, request, match, at + 1))
    }
    if (refusal !== undefined) return refusal
  }
  return undefined
}
