/**
 * An action as data: who may ask for it, which devices it leaves as they are, and how it changes
 * all others of a chunk at once. What it changes commits with the results of the devices.
 */
import type { Permission } from '../../access/permissions.ts'
import type { Services } from '../../context.ts'
import type { Db } from '../../database/connect.ts'
import type { FailureCode } from '../../errors.ts'
import type { AuditAction, Origin } from '../../events/event.ts'
import type { DeviceRow } from './action-store.ts'
import type { JobParameters } from './schema.ts'

export type { DeviceRow } from './action-store.ts'

export type ActionServices = Pick<Services, 'feed' | 'clock' | 'mqttBrokers'>

/** What a job does with each of its devices. */
export interface Order {
  workspaceId: string
  /** As callers see it. */
  jobId: string
  parameters: JobParameters
  /** Who asked for the job. */
  origin: Origin
}

export type Verdict =
  | { status: 'skipped'; code: 'unchanged' }
  | { status: 'failed'; code: FailureCode; detail?: string }

export const UNCHANGED: Verdict = { status: 'skipped', code: 'unchanged' }

export interface Action {
  permission: Permission
  /** Members of `parameters` that it takes; of `oneOf` at least one must be there. */
  takes: readonly (keyof JobParameters)[]
  oneOf: readonly (keyof JobParameters)[]
  /** Why a device is left as it is, or undefined for one that is changed. */
  judge(device: DeviceRow, order: Order): Verdict | undefined
  /**
   * Changes the devices, which are locked.
   * @returns what became of those that could not be changed after all.
   */
  change(
    services: ActionServices,
    trx: Db,
    order: Order,
    devices: readonly DeviceRow[],
  ): Promise<Map<string, Verdict>>
  /** The audit entry and event of each device; an action without one records by itself. */
  told?: {
    as: AuditAction
    data?(device: DeviceRow, order: Order): Record<string, unknown>
    detail?(device: DeviceRow, order: Order): Record<string, unknown>
  }
  /** Whether live sessions and caches have to look at the devices again. */
  announces: boolean
  /**
   * Of an action that changes rules alone: the devices that lose something, by their UUIDs. It is
   * given the devices as they were before it.
   */
  losers?(trx: Db, order: Order, devices: readonly DeviceRow[]): Promise<string[]>
}

export const idsOf = (devices: readonly DeviceRow[]): string[] => devices.map(({ id }) => id)

export const refused = (code: FailureCode, detail: string): Verdict => ({
  status: 'failed',
  code,
  detail,
})
