/** Types shared by the parts of an import. */
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { Failure } from '../../../platform/errors/errors.ts'
import type { DeviceServices } from '../../devices/registry/device-creation.ts'
import type { Mode, Step, Templates } from './import-plan.ts'
import type { ImportDevice, ImportResult } from './schema.ts'
import type { SeenKeys } from './seen-keys.ts'

export type ImportContext = Context & DeviceServices

export interface Draft {
  line: number
  value: ImportDevice
}

export interface Settings {
  mode: Mode
  isDryRun: boolean
  wantsCredentials: boolean
}

/** One transaction: its lookups, and results that count once it commits. */
export interface Work {
  context: ImportContext
  settings: Settings
  trx: Db
  slug: string
  templates: Templates
  results: Map<Draft, ImportResult>
  seen: SeenKeys
  /** Returns drawn serial numbers on rollback. */
  undo: (() => void)[]
}

export type Planned<Kind extends Step['kind']> = Extract<Step, { kind: Kind }> & { draft: Draft }

/** The names by which a row finds its device, as they are remembered, with their JSON pointers. */
export const namesOf = (
  deviceKey: string | null | undefined,
  hardwareId: string | null | undefined,
): { text: string; pointer: string }[] => [
  ...(deviceKey ? [{ text: `key ${deviceKey}`, pointer: '/device_key' }] : []),
  ...(hardwareId ? [{ text: `hardware ${hardwareId}`, pointer: '/hardware_id' }] : []),
]

export const failed = (line: number, failure: Failure): ImportResult => ({
  line,
  status: 'failed',
  code: failure.code,
  message: failure.message,
  ...(failure.options.errors && { errors: failure.options.errors }),
})
