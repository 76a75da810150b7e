/** Whose sessions a receipt is about, on one broker elsewhere. */
import type { RevokeTarget } from '../../broker/external-port.ts'
import type { ConnectDecision } from '../../broker/port.ts'
import type { Db } from '../../database/connect.ts'
import { formatId, parseId } from '../../lib/ids.ts'
import { losesBy } from '../rule-narrowing/narrowing.ts'
import { MOVES_ALL, STOPS_SERVING } from './receipt-reasons.ts'
import type { TakenReceipt } from './stamp-store.ts'
import * as subjects from './subject-store.ts'

/** An external broker, as far as a revoke needs it. */
export interface ListedTarget extends RevokeTarget {
  /** Its live sessions. Without it a receipt about many can't be verified there. */
  connections?(): Promise<readonly { principalId: string; clientId: string }[]>
  /** See `ExternalBroker`. */
  readonly listLagMs?: number
  /** See `ExternalBroker`. Without it other rules reach a session by its end. */
  regrant?(principalId?: string): Promise<void>
}

export interface Lookups {
  db: Db
  /** What a client may now, without its secret. */
  authorize: (username: string, clientId: string) => Promise<ConnectDecision>
}

/** Devices, principals, phones; whoever else a broker has is none of ours. */
const KINDS = ['dev', 'mqp', 'mqm'] as const

/** Whether it is about one principal, whose sessions a broker is asked for by its name. */
export const isOfOne = ({ subject, narrowed }: TakenReceipt): boolean =>
  subject !== null &&
  parseId('job', subject) === undefined &&
  parseId('tpl', subject) === undefined &&
  narrowed?.devices === undefined

const namesOf = (listed: readonly { principalId: string }[]): string[] => [
  ...new Set(listed.map(({ principalId }) => principalId)),
]

/** Whose sessions a receipt is about, on this broker; undefined where that can't be known. */
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

/** Who is connected of the devices of a template, and lost something by its other rules. */
async function namesOfTemplate(
  services: Lookups,
  templateId: string,
  listed: readonly { principalId: string }[],
  receipt: TakenReceipt,
): Promise<string[]> {
  const ids = namesOf(listed).flatMap((name) => parseId('dev', name) ?? [])
  const { db } = services
  const devices = await subjects.devicesOfTemplate(db, receipt.workspace_id, templateId, ids)
  const narrowing = receipt.narrowed?.template
  return devices
    .filter((device) => narrowing === undefined || losesBy(narrowing, device))
    .map(({ id }) => formatId('dev', id))
}

/** Phones that hold these devices, where they lose them for now. */
async function phonesOf(
  services: Lookups,
  deviceIds: readonly string[],
  { reason, workspace_id }: TakenReceipt,
): Promise<string[]> {
  if (!STOPS_SERVING.has(reason)) return []
  return subjects.phonesOfDevices(services.db, workspace_id, deviceIds)
}

/** Who is connected of the devices that a job has changed by then, and their phones. */
async function namesOfJob(
  services: Lookups,
  jobId: string,
  listed: readonly { principalId: string }[],
  receipt: TakenReceipt,
): Promise<string[]> {
  const deviceIds = await subjects.devicesOfJob(services.db, receipt, jobId)
  const phones = await phonesOf(services, deviceIds, receipt)
  const meant = new Set([...deviceIds.map((id) => formatId('dev', id)), ...phones])
  return namesOf(listed).filter((name) => meant.has(name))
}

/** Those that nobody admits any more; and where a whole workspace moved, all of it. */
async function namesIn(
  services: Lookups,
  listed: readonly { principalId: string; clientId: string }[],
  { reason, workspace_id }: TakenReceipt,
): Promise<string[]> {
  const moved = reason === MOVES_ALL ? formatId('ws', workspace_id) : undefined
  const names = new Set<string>()
  for (const { principalId, clientId } of listed) {
    if (!KINDS.some((kind) => parseId(kind, principalId) !== undefined)) continue
    const decision = await services.authorize(principalId, clientId)
    if (!decision.accepted && decision.reason === 'unavailable') {
      throw new Error('What the sessions may could not be read.')
    }
    if (!decision.accepted || decision.grant.workspaceId === moved) names.add(principalId)
  }
  return [...names]
}
