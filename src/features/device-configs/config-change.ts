/**
 * The one way in which the own configuration of devices changes: each change is a version, with who
 * and when, in the transaction of whoever makes it. For one device or for many.
 */
import type { Db } from '../../database/connect.ts'
import type { Origin } from '../../events/event.ts'
import { recordAll } from '../../events/record.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { formatId } from '../../lib/ids.ts'
import { mergeObjects } from '../../lib/merge-patch.ts'
import { demandSmall } from '../json-object.ts'
import * as store from './store.ts'

/** Versions of one device that are kept. */
const KEPT_VERSIONS = 100

type Config = Record<string, unknown>

/**
 * Keeps versions of configurations that `trx` has written already, with their `config_version`.
 * @param before what the devices had before; none of them twice.
 * @returns the new version of each device, by its UUID.
 */
export async function keepConfigVersions(
  trx: Db,
  origin: Origin,
  workspaceId: string,
  before: readonly { id: string; config: Config }[],
): Promise<ReadonlyMap<string, number>> {
  if (before.length === 0) return new Map()
  const { id: changedBy } = origin.actor
  const rows = await store.keepVersions(trx, workspaceId, before, changedBy, KEPT_VERSIONS)
  return new Map(rows.map(({ device_id, version }) => [device_id, version]))
}

export interface ConfigsToChange {
  workspaceId: string
  /** UUIDs. */
  deviceIds: readonly string[]
  /** Makes the new own configuration of the present one. */
  next: (present: Config) => Config
}

export interface ChangedConfig {
  deviceId: string
  /** Undefined when the configuration is what it was; then nothing was written. */
  version: number | undefined
}

/**
 * Changes the own configuration of those of the devices that are there, with a version, an audit
 * entry and an event for each that differs.
 * @throws Failure invalid_request when one of them would be too large.
 */
export async function changeConfigs(
  trx: Db,
  origin: Origin,
  { workspaceId, deviceIds, next }: ConfigsToChange,
): Promise<ChangedConfig[]> {
  const locked = await store.lockConfigs(trx, workspaceId, deviceIds)
  const changes = locked.flatMap((before) => {
    const config = next(before.config)
    if (canonicalJson(config) === canonicalJson(before.config)) return []
    demandSmall('/config', config)
    return [{ before, after: { id: before.id, config } }]
  })
  await store.writeConfigs(
    trx,
    workspaceId,
    changes.map(({ after }) => after),
  )
  const versions = await keepConfigVersions(
    trx,
    origin,
    workspaceId,
    changes.map(({ before }) => before),
  )
  await recordAll(
    trx,
    origin,
    changes.map(({ before, after }) => ({
      workspaceId,
      action: 'device.updated',
      resource: { kind: 'device', id: formatId('dev', before.id) },
      subjectId: before.id,
      data: {
        device_id: formatId('dev', before.id),
        changed: ['config'],
        config_version: versions.get(before.id),
      },
      detail: { before: { config: before.config }, after: { config: after.config } },
    })),
  )
  return locked.map(({ id }) => ({ deviceId: id, version: versions.get(id) }))
}

/** Merges a patch (RFC 7396) into the own configuration of many devices. */
export const mergeConfigs = (
  trx: Db,
  origin: Origin,
  change: { workspaceId: string; deviceIds: readonly string[]; patch: Config },
): Promise<ChangedConfig[]> => {
  const { workspaceId, deviceIds, patch } = change
  const next = (present: Config): Config => mergeObjects(present, patch)
  return changeConfigs(trx, origin, { workspaceId, deviceIds, next })
}
