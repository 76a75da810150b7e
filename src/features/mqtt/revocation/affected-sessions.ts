/** Determines whose sessions a receipt concerns on an external broker. */
import type { RevokeTarget } from '../../../adapters/broker/external-port.ts'
import type { ConnectDecision } from '../../../adapters/broker/port.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { formatId, parseId } from '../../../platform/lib/ids.ts'
import { losesBy } from '../rule-narrowing/narrowing.ts'
import { MOVES_ALL, STOPS_SERVING } from './receipt-reasons.ts'
import type { TakenReceipt } from './store.ts'
import * as subjects from './store.ts'

/** The part of an external broker that a revocation needs. */
export interface ListedTarget extends RevokeTarget {
  /** Its live sessions. Without it, receipts about many principals cannot be verified there. */
  connections?(): Promise<readonly { principalId: string; clientId: string }[]>
  /** See `ExternalBroker`. */
  readonly listLagMs?: number
  /** See `ExternalBroker`. Without it, new rules only apply to new sessions. */
  regrant?(principalId?: string): Promise<void>
}

export interface Lookups {
  db: Db
  /** A client's current rights, without its secret. */
  authorize: (username: string, clientId: string) => Promise<ConnectDecision>
}

/** Whether it is the public id of a device, a principal or a phone; other clients are not ours. */
export const isPrincipal = (name: string): boolean =>
  (['dev', 'mqp', 'mqm'] as const).some((kind) => parseId(kind, name) !== undefined)

/** Whether it concerns one principal, whose sessions can be queried by name. */
export const isOfOne = ({ subject, narrowed }: TakenReceipt): boolean =>
  subject !== null && isPrincipal(subject) && narrowed?.devices === undefined

const namesOf = (listed: readonly { principalId: string }[]): string[] => [
  ...new Set(listed.map(({ principalId }) => principalId)),
]

/** The principals concerned on this broker; undefined if that cannot be determined. */
export async function concernedBy(
  services: Lookups,
  target: ListedTarget,
  receipt: TakenReceipt,
): Promise<string[] | undefined> {
  const { subject, narrowed } = receipt
  const deviceId = subject === null ? undefined : parseId('dev', subject)
  const jobId = subject === null ? undefined : parseId('job', subject)
  const templateId = subject === null ? undefined : parseId('tpl', subject)
  if (subject !== null && isOfOne(receipt)) {
    const phones = deviceId === undefined ? [] : await phonesOf(services, [deviceId], receipt)
    return [subject, ...phones]
  }
  if (target.connections === undefined) return undefined
  const listed = await target.connections()
  if (narrowed?.devices !== undefined) {
    const meant = new Set(narrowed.devices.map((id) => formatId('dev', id)))
    return namesOf(listed).filter((name) => meant.has(name))
  }
  if (templateId !== undefined) return namesOfTemplate(services, templateId, listed, receipt)
  if (jobId !== undefined) return namesOfJob(services, jobId, listed, receipt)
  return namesIn(services, listed, receipt)
}

/** Connected devices of a template that lost rights by its new rules. */
async function namesOfTemplate(
  services: Lookups,
  templateId: string,
  listed: readonly { principalId: string }[],
  receipt: TakenReceipt,
): Promise<string[]> {
  const ids = namesOf(listed).flatMap((name) => parseId('dev', name) ?? [])
  const { db } = services
  const devices = await subjects.devicesOfTemplate.rows(db, {
    workspaceId: receipt.workspace_id,
    templateId,
    ids,
  })
  const narrowing = receipt.narrowed?.template
  return devices
    .filter((device) => narrowing === undefined || losesBy(narrowing, device))
    .map(({ id }) => formatId('dev', id))
}

/** Phones holding devices that can no longer be used. */
async function phonesOf(
  services: Lookups,
  deviceIds: readonly string[],
  { reason, workspace_id }: TakenReceipt,
): Promise<string[]> {
  if (!STOPS_SERVING.has(reason)) return []
  const key = { workspaceId: workspace_id, deviceIds }
  const phones = await subjects.phonesOfDevices.rows(services.db, key)
  return phones.map(({ id }) => formatId('mqm', id))
}

/** Connected devices changed by a job so far, and their phones. */
async function namesOfJob(
  services: Lookups,
  jobId: string,
  listed: readonly { principalId: string }[],
  receipt: TakenReceipt,
): Promise<string[]> {
  const devices = await subjects.devicesOfJob.rows(services.db, { ...receipt, jobId })
  const deviceIds = devices.map(({ id }) => id)
  const phones = await phonesOf(services, deviceIds, receipt)
  const meant = new Set([...deviceIds.map((id) => formatId('dev', id)), ...phones])
  return namesOf(listed).filter((name) => meant.has(name))
}

/** The principals no longer admitted; all, if the whole workspace's topics changed. */
async function namesIn(
  services: Lookups,
  listed: readonly { principalId: string; clientId: string }[],
  { reason, workspace_id }: TakenReceipt,
): Promise<string[]> {
  const moved = reason === MOVES_ALL ? formatId('ws', workspace_id) : undefined
  const names = new Set<string>()
  for (const { principalId, clientId } of listed) {
    if (!isPrincipal(principalId)) continue
    const decision = await services.authorize(principalId, clientId)
    if (!decision.accepted && decision.reason === 'unavailable') {
      throw new Error('The rights of the sessions could not be read.')
    }
    if (!decision.accepted || decision.grant.workspaceId === moved) names.add(principalId)
  }
  return [...names]
}
