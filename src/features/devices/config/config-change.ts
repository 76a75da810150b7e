/**
 * The only way to change devices' own configuration: each change is a version with author and time,
 * in the caller's transaction. For one device or many.
 */
import type { Db } from '../../../platform/database/connect.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { deviceChange, recordAll } from '../../../platform/record/record.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { mergeObjects } from '../../../platform/lib/merge-patch.ts'
import { requireSmallConfig } from '../../common/json-object.ts'
import * as store from './store.ts'

/** Versions kept per device. */
const KEPT_VERSIONS = 100

type Config = Record<string, unknown>

/**
 * Stores versions of configurations that `trx` has already written, with their `config_version`.
 * @param before the previous configurations; no duplicates
 * @returns the new version of each device, by UUID
 */
export async function keepConfigVersions(
  trx: Db,
  origin: Origin,
  workspaceId: string,
  before: readonly { id: string; config: Config }[],
): Promise<ReadonlyMap<string, number>> {
  if (before.length === 0) return new Map()
  const rows = await store.keepVersions.rows(trx, {
    workspaceId,
    ids: before.map(({ id }) => id),
    before: before.map(({ config }) => JSON.stringify(config)),
    changedBy: origin.actor.id,
    versions: KEPT_VERSIONS,
  })
  return new Map(rows.map(({ device_id, version }) => [device_id, version]))
}

export interface ConfigsToChange {
  workspaceId: string
  /** UUIDs. */
  deviceIds: readonly string[]
  /** Computes the new own configuration from the current one. */
  next: (present: Config) => Config
}

export interface ChangedConfig {
  deviceId: string
  /** Undefined if the configuration is unchanged; then nothing was written. */
  version: number | undefined
}

/**
 * Changes the own configuration of the existing devices, with a version, audit entry and event for
 * each that differs.
 * @throws Failure invalid_request if one would be too large
 */
export async function changeConfigs(
  trx: Db,
  origin: Origin,
  { workspaceId, deviceIds, next }: ConfigsToChange,
): Promise<ChangedConfig[]> {
  const locked = await store.lockConfigs.rows(trx, { workspaceId, ids: deviceIds })
  const changes = locked.flatMap((before) => {
    const config = next(before.config)
    if (canonicalJson(config) === canonicalJson(before.config)) return []
    requireSmallConfig('/config', config)
    return [{ before, after: { id: before.id, config } }]
  })
  await store.writeConfigs.run(trx, {
    workspaceId,
    ids: changes.map(({ after }) => after.id),
    configs: changes.map(({ after }) => JSON.stringify(after.config)),
  })
  const versions = await keepConfigVersions(
    trx,
    origin,
    workspaceId,
    changes.map(({ before }) => before),
  )
  await recordAll(
    trx,
    origin,
    changes.map(({ before: { id, config }, after }) =>
      deviceChange(
        'device.updated',
        workspaceId,
        id,
        { changed: ['config'], config_version: versions.get(id) },
        { before: { config }, after: { config: after.config } },
      ),
    ),
  )
  return locked.map(({ id }) => ({ deviceId: id, version: versions.get(id) }))
}

/** Applies a merge patch (RFC 7396) to the own configuration of many devices. */
export const mergeConfigs = (
  trx: Db,
  origin: Origin,
  change: { workspaceId: string; deviceIds: readonly string[]; patch: Config },
): Promise<ChangedConfig[]> => {
  const { workspaceId, deviceIds, patch } = change
  const next = (present: Config): Config => mergeObjects(present, patch)
  return changeConfigs(trx, origin, { workspaceId, deviceIds, next })
}
