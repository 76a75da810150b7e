/** Issues one command to many devices, in the transaction of the caller: staff or a job. */
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import * as store from './store.ts'
import { columnsOf } from '../../../platform/database/sql.ts'

/** Unanswered commands per device. */
export const MAX_OPEN_COMMANDS = 100

export interface CommandsToIssue {
  workspaceId: string
  /** UUIDs; duplicates get one command. */
  deviceIds: readonly string[]
  name: string
  payload: Record<string, unknown>
  timeoutS: number
  /** The job or campaign that issues them. */
  work?: { kind: 'job' | 'rotation_campaign'; uuid: string }
}

export type IssueRefusal = 'device_not_found' | 'invalid_transition' | 'limit_reached'

export type IssuedCommand =
  | { deviceId: string; command: store.CommandRow }
  | { deviceId: string; refusal: IssueRefusal }

function refusalOf(device: store.LockedDevice | undefined): IssueRefusal | undefined {
  if (device === undefined) return 'device_not_found'
  if (device.status === 'decommissioned') return 'invalid_transition'
  return device.open >= MAX_OPEN_COMMANDS ? 'limit_reached' : undefined
}

/**
 * Issues a command to each device that can take one; the process with the device's session sends it
 * once `trx` commits. Name, payload and timeout must be valid.
 * @returns the outcome for each device, in the given order
 */
export async function issueCommands(
  { feed }: Pick<Services, 'feed'>,
  trx: Db,
  origin: Origin,
  order: CommandsToIssue,
): Promise<IssuedCommand[]> {
  const { workspaceId, name, payload, timeoutS, work } = order
  const deviceIds = [...new Set(order.deviceIds)]
  const locked = await store.lockDevicesForCommands(trx, workspaceId, deviceIds)
  const devices = new Map(locked.map((device) => [device.id, device]))
  const taking = deviceIds.filter((id) => refusalOf(devices.get(id)) === undefined)
  const commands = taking.map((deviceId) => {
    const id = newUuid()
    const publicIds = { shownId: formatId('cmd', id), shownDeviceId: formatId('dev', deviceId) }
    return { id, deviceId, auditId: newUuid(), ...publicIds }
  })
  const rows = await store.insertCommands.rows(trx, {
    ...columnsOf(commands),
    workspaceId,
    name,
    payload: JSON.stringify(payload),
    seconds: timeoutS,
    jobId: work?.kind === 'job' ? work.uuid : null,
    campaignId: work?.kind === 'rotation_campaign' ? work.uuid : null,
    createdBy: origin.actor.id,
    actorKind: origin.actor.kind,
    requestId: origin.requestId,
    address: origin.address,
  })
  await feed.announceAll(trx, 'command', taking)
  const issued = new Map(rows.map((row) => [row.device_id, row]))
  return deviceIds.map((deviceId) => {
    const command = issued.get(deviceId)
    if (command !== undefined) return { deviceId, command }
    return { deviceId, refusal: refusalOf(devices.get(deviceId)) ?? 'device_not_found' }
  })
}
