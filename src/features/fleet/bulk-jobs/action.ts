/**
 * A job action as data: its permission, the devices that it skips, and how it changes the others
 * of a chunk together. Changes commit with the devices' results.
 */
import type { Permission } from '../../../platform/access/permissions.ts'
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { FailureCode } from '../../../platform/errors/errors.ts'
import type { AuditAction, Origin } from '../../../platform/record/event.ts'
import type { TransitDevice } from '../../devices/registry/device-transition.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { originOfWork, type WorkKind, type WorkRow } from '../device-work/work.ts'
import type { JobParameters } from './schema.ts'

export type DeviceRow = TransitDevice

export type ActionServices = Pick<Services, 'feed' | 'clock' | 'mqttBrokers'>

/** The context of an action. */
export interface ActionContext {
  workspaceId: string
  /** The job or campaign, by its public id and its UUID. */
  work: { kind: WorkKind<WorkRow>['resource']; id: string; uuid: string }
  parameters: JobParameters
  /** The actor that requested it. */
  origin: Origin
}

export const contextOf = <Row extends WorkRow>(
  { resource: kind, prefix }: WorkKind<Row>,
  row: Row,
  parameters: JobParameters,
): ActionContext => ({
  workspaceId: row.workspace_id,
  work: { kind, id: formatId(prefix, row.id), uuid: row.id },
  parameters,
  origin: originOfWork(row),
})

export type Outcome =
  | { status: 'skipped'; code: 'unchanged' }
  | { status: 'failed'; code: FailureCode; detail?: string }

export const UNCHANGED: Outcome = { status: 'skipped', code: 'unchanged' }

export interface Action {
  permission: Permission
  /** Accepted members of `parameters`; at least one of `oneOf` is required. None by default. */
  takes?: readonly (keyof JobParameters)[]
  oneOf?: readonly (keyof JobParameters)[]
  /** Why a device is skipped; undefined if it is to be changed, as all are by default. */
  evaluate?(device: DeviceRow, context: ActionContext): Outcome | undefined
  /**
   * Changes the locked devices.
   * @returns the outcome of devices that could not be changed after all, if there are any
   */
  change(
    services: ActionServices,
    trx: Db,
    context: ActionContext,
    devices: readonly DeviceRow[],
  ): Promise<Map<string, Outcome> | undefined>
  /** Audit entry and event of each device; omitted if the action records itself. */
  notified?: {
    as: AuditAction
    data?(device: DeviceRow, context: ActionContext): Record<string, unknown>
    detail?(device: DeviceRow, context: ActionContext): Record<string, unknown>
  }
  /**
   * Whether live sessions and caches must be invalidated, and the job has a receipt; false by
   * default.
   */
  announces?: boolean
  /**
   * For changes of rules: UUIDs of devices that lose rights, given the devices before the change.
   */
  losing?(trx: Db, context: ActionContext, devices: readonly DeviceRow[]): Promise<string[]>
}

export const idsOf = (devices: readonly DeviceRow[]): string[] => devices.map(({ id }) => id)

export const refused = (code: FailureCode, detail: string): Outcome => ({
  status: 'failed',
  code,
  detail,
})
