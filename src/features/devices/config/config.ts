/** The rules of device configurations: read, replaced, patched, rolled back. */
import { createHash } from 'node:crypto'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { requireRevision, found, invalid } from '../../../platform/errors/errors.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { mergeObjects } from '../../../platform/lib/merge-patch.ts'
import { readPage } from '../../common/paging.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import { changeConfigs } from './config-change.ts'
import type { ConfigVersion, ConfigView, ListVersions } from './schema.ts'
import * as store from './store.ts'
import type { Paged, Revised } from '../../common/results.ts'

type Config = Record<string, unknown>

/** The digest of the canonical text (RFC 8785), in hexadecimal. */
const sha256Of = (config: Config): string =>
  createHash('sha256').update(canonicalJson(config)).digest('hex')

/** The device's effective configuration; undefined if it no longer exists. */
export async function effectiveConfig(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<{ config: Config; version: number; sha256: string } | undefined> {
  const row = await store.findConfig.first(db, { workspaceId, id: deviceId })
  if (row === undefined) return undefined
  return { config: row.effective, version: row.version, sha256: sha256Of(row.effective) }
}

function reportOf(row: store.ConfigRow): ConfigView['reported'] {
  const { reported_status: status, reported_at: at, reported_sha256: sha256 } = row
  if (status === null || at === null) return null
  const { reported_version: version, reported_error: error, reported_error_code } = row
  const isSameText = sha256 === null || sha256 === sha256Of(row.effective)
  const is_present = version === row.version && isSameText
  return {
    version,
    sha256,
    status,
    error,
    error_code: reported_error_code,
    applied_at: timestampOrNull(row.applied_at),
    reported_at: timestamp(at),
    is_present,
  }
}

async function readConfig(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<Revised<ConfigView>> {
  const row = found(
    await store.findConfig.first(db, { workspaceId, id: deviceId }),
    'device_not_found',
  )
  const view = {
    device_id: formatId('dev', row.id),
    config: row.config,
    effective_config: row.effective,
    sha256: sha256Of(row.effective),
    version: row.version,
    changed_by: row.changed_by,
    changed_at: timestamp(row.changed_at),
    reported: reportOf(row),
  }
  return { view, revision: row.version }
}

export const getConfig = (
  { db, workspaceId }: Context,
  deviceId: string,
): Promise<Revised<ConfigView>> => readConfig(db, workspaceId, deviceId)

/** @param next called with the device locked */
function change(
  context: Context,
  deviceId: string,
  next: (trx: Db) => Promise<(present: Config) => Config>,
): Promise<Revised<ConfigView>> {
  const { db, workspaceId, request } = context
  return db.transaction(async (trx) => {
    await store.lockConfigs.rows(trx, { workspaceId, ids: [deviceId] })
    const { revision } = await readConfig(trx, workspaceId, deviceId)
    requireRevision(revision, request.ifMatch)
    const change = { workspaceId, deviceIds: [deviceId], next: await next(trx) }
    await changeConfigs(trx, originOf(context), change)
    return readConfig(trx, workspaceId, deviceId)
  })
}

export const replaceConfig = (
  context: Context,
  deviceId: string,
  config: Config,
): Promise<Revised<ConfigView>> => change(context, deviceId, async () => () => config)

/** A merge patch (RFC 7396). */
export const patchConfig = (
  context: Context,
  deviceId: string,
  patch: Config,
): Promise<Revised<ConfigView>> =>
  change(context, deviceId, async () => (present) => mergeObjects(present, patch))

/** Creates a new version with the contents of an earlier one. */
export const rollBackConfig = (
  context: Context,
  deviceId: string,
  version: number,
): Promise<Revised<ConfigView>> =>
  change(context, deviceId, async (trx) => {
    const { workspaceId } = context
    const at = { workspaceId, deviceId, version: version + 1, limit: 1 }
    const row = await store.pageOfVersions.first(trx, at)
    if (row?.version !== version) throw invalid('/version', 'is not a stored version')
    return () => row.config
  })

export async function listConfigVersions(
  context: Context,
  deviceId: string,
  query: ListVersions,
): Promise<Paged<ConfigVersion>> {
  const { db, workspaceId } = context
  const page = readPage(context, query, `config-versions ${workspaceId} ${deviceId}`)
  const version = page.after === undefined ? null : Number(page.after)
  const limit = page.limit + 1
  const rows = await store.pageOfVersions.rows(db, { workspaceId, deviceId, version, limit })
  // An existing device always has a version, so an empty page means that it does not exist.
  if (rows.length === 0) await readConfig(db, workspaceId, deviceId)
  return page.of(
    rows,
    (row) => row.version,
    (row) => ({ ...row, changed_at: timestamp(row.changed_at) }),
  )
}
