/** Queries on API keys. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'

type OnKnownDevice = 'rotate' | 'rotate_unclaimed' | 'replay_only' | 'refuse'
type Approval = 'none' | 'required'

export interface ApiKeyRow {
  workspace_id: string
  id: string
  kind: 'platform' | 'provision'
  name: string
  hint: string
  template_ids: string[] | null
  actions: ('register' | 'rotate')[]
  allowed_cidrs: string[] | null
  rate_per_min: number | null
  device_quota: number | null
  registered: number
  on_known_device: OnKnownDevice
  approval: Approval
  created_by: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
  last_used_ip: string | null
  revision: number
}

const columns = `workspace_id, id, kind, name, hint, template_ids, actions, allowed_cidrs,
  rate_per_min, device_quota, registered, on_known_device, approval, created_by, created_at, expires_at, revoked_at,
  last_used_at, last_used_ip, revision`

const insert = statement(
  'api_keys.insert',
  `INSERT INTO api_keys (workspace_id, id, kind, name, hash, hint, template_ids, actions,
                         allowed_cidrs, rate_per_min, device_quota, expires_at, created_by,
                         on_known_device, approval)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
   RETURNING ${columns}`,
)
const list: FilteredTable<ApiKeyRow> = {
  idOf: ({ id }) => id,
  columns,
  table: 'api_keys',
  fields: {
    key_kind: { sql: 'kind' },
    name: { sql: 'name' },
    created_by: { sql: 'created_by' },
    status: {
      sql: `CASE WHEN revoked_at IS NOT NULL THEN 'revoked'
                 WHEN expires_at <= now() THEN 'expired' ELSE 'active' END`,
    },
    created_at: { sql: 'created_at', isTimeOfId: true },
  },
}
const byId = statement(
  'api_keys.by_id',
  `SELECT ${columns} FROM api_keys WHERE workspace_id = $1 AND id = $2`,
)
const lock = statement('api_keys.lock', `${byId.text} FOR UPDATE`)
// Registrations without a quota are not counted: a new quota starts at zero.
const update = statement(
  'api_keys.update',
  `UPDATE api_keys
   SET name = $3, template_ids = $4, actions = $5, allowed_cidrs = $6, rate_per_min = $7,
       device_quota = $8, expires_at = $9, on_known_device = $10, approval = $11,
       registered = CASE WHEN device_quota IS NULL THEN 0 ELSE registered END,
       revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)
const countLive = statement(
  'api_keys.count_live',
  'SELECT count(*) AS live FROM api_keys WHERE workspace_id = $1 AND revoked_at IS NULL',
)
const knownTemplates = statement(
  'api_keys.known_templates',
  'SELECT id FROM device_templates WHERE workspace_id = $1 AND id = ANY($2::uuid[])',
)
const byHash = statement(
  'api_keys.by_hash',
  `SELECT k.workspace_id, k.id, k.kind, k.template_ids, k.actions, k.allowed_cidrs,
          k.rate_per_min, k.device_quota, k.expires_at, k.on_known_device, k.approval, w.slug
   FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
   WHERE k.hash = $1 AND k.revoked_at IS NULL AND w.status = 'active'`,
)
// Rows are locked in a fixed order, to avoid deadlocks between processes.
const touch = statement(
  'api_keys.touch',
  `WITH used AS (
     SELECT k.workspace_id, k.id, to_timestamp(u.at / 1000.0) AS at, u.ip
     FROM unnest($1::uuid[], $2::uuid[], $3::float8[], $4::text[]) AS u (workspace_id, id, at, ip)
     JOIN api_keys k ON k.workspace_id = u.workspace_id AND k.id = u.id
     ORDER BY k.workspace_id, k.id FOR NO KEY UPDATE OF k
   )
   UPDATE api_keys k SET last_used_at = used.at, last_used_ip = used.ip
   FROM used WHERE k.workspace_id = used.workspace_id AND k.id = used.id
     AND (k.last_used_at IS NULL OR k.last_used_at < used.at)`,
)

/** The mutable fields. */
export interface KeyFields {
  name: string
  templateIds: readonly string[] | null
  actions: readonly string[]
  allowedCidrs: readonly string[] | null
  ratePerMin: number | null
  deviceQuota: number | null
  /** RFC 3339. */
  expiresAt: string | null
  onKnownDevice: OnKnownDevice
  approval: Approval
}

export interface NewApiKey extends KeyFields {
  workspaceId: string
  id: string
  kind: 'platform' | 'provision'
  hash: Buffer
  hint: string
  createdBy: string
}

export async function insertApiKey(db: Db, key: NewApiKey): Promise<ApiKeyRow> {
  const values = [
    key.workspaceId,
    key.id,
    key.kind,
    key.name,
    key.hash,
    key.hint,
    key.templateIds,
    key.actions,
    key.allowedCidrs,
    key.ratePerMin,
    key.deviceQuota,
    key.expiresAt,
    key.createdBy,
    key.onKnownDevice,
    key.approval,
  ]
  const [row] = await db.query<ApiKeyRow>(insert, values)
  return row as ApiKeyRow
}

export const pageOfApiKeys = (db: Db, workspaceId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request)

export async function findApiKey(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<ApiKeyRow | undefined> {
  return (await db.query<ApiKeyRow>(byId, [workspaceId, id]))[0]
}

export async function lockApiKey(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<ApiKeyRow | undefined> {
  return (await db.query<ApiKeyRow>(lock, [workspaceId, id]))[0]
}

export async function updateKey(
  db: Db,
  key: Pick<ApiKeyRow, 'workspace_id' | 'id'>,
  fields: KeyFields,
): Promise<ApiKeyRow> {
  const [row] = await db.query<ApiKeyRow>(update, [
    key.workspace_id,
    key.id,
    fields.name,
    fields.templateIds,
    fields.actions,
    fields.allowedCidrs,
    fields.ratePerMin,
    fields.deviceQuota,
    fields.expiresAt,
    fields.onKnownDevice,
    fields.approval,
  ])
  return row as ApiKeyRow
}

export async function countLiveKeys(db: Db, workspaceId: string): Promise<number> {
  return (await db.query<{ live: number }>(countLive, [workspaceId]))[0]?.live ?? 0
}

/** Which of the templates exist in the workspace. */
export async function findKnownTemplates(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(knownTemplates, [workspaceId, ids])
  return new Set(rows.map(({ id }) => id))
}

export interface LiveKeyRow {
  workspace_id: string
  id: string
  kind: 'platform' | 'provision'
  template_ids: string[] | null
  actions: ('register' | 'rotate')[]
  allowed_cidrs: string[] | null
  rate_per_min: number | null
  device_quota: number | null
  expires_at: number | null
  on_known_device: OnKnownDevice
  approval: Approval
  slug: string
}

/** The key with this hash, if it is not revoked and its workspace is active. */
export async function findLiveKey(db: Db, hash: Buffer): Promise<LiveKeyRow | undefined> {
  return (await db.query<LiveKeyRow>(byHash, [hash]))[0]
}

export interface KeyUse {
  workspaceId: string
  keyId: string
  /** Milliseconds since the epoch. */
  at: number
  address: string
}

export async function writeKeyUses(db: Db, uses: readonly KeyUse[]): Promise<void> {
  await db.query(touch, [
    uses.map(({ workspaceId }) => workspaceId),
    uses.map(({ keyId }) => keyId),
    uses.map(({ at }) => at),
    uses.map(({ address }) => address),
  ])
}
