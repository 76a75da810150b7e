/**
 * Queries that bind and release devices. Each is one conditional statement, run under the lock of
 * the device's row, which also announces the change of the claim and of its holder's devices.
 */
import { changeInsert } from '../../../platform/database/change-feed.ts'
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface Binding {
  workspace_id: string
  id: string
  moid_id: string
  device_id: string
  bound_at: number
}

export type ClaimStatus = 'open' | 'bound' | 'released' | 'expired' | 'cancelled'

/** The claim of a code that a device shows or has shown. */
export interface ShownCode {
  workspace_id: string
  id: string
  device_id: string
  status: ClaimStatus
}

const columns = 'c.workspace_id, c.id, c.moid_id, c.device_id, c.bound_at'
const state = `CASE WHEN c.status = 'open' AND c.expires_at <= now() THEN 'expired'
                    ELSE c.status END AS status`

const lockRow = statement(
  'claim_bindings.lock_device',
  'SELECT status FROM devices WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE',
)
const lookAt = statement(
  'claim_bindings.look_at',
  `SELECT b.workspace_id, b.id, b.moid_id, b.device_id, b.bound_at,
          coalesce(b.code_hash = $3, false) AS is_own, m.status
   FROM (SELECT) AS one
   LEFT JOIN (SELECT * FROM claims c
              WHERE c.workspace_id = $1 AND c.device_id = $2 AND c.status = 'bound') AS b ON true
   LEFT JOIN (SELECT ${state} FROM claims c
              WHERE c.workspace_id = $1 AND c.code_hash = $3 AND c.shown_by = 'phone') AS m ON true`,
)
const byDeviceCode = statement(
  'claim_bindings.by_device_code',
  `SELECT c.workspace_id, c.id, c.device_id, ${state} FROM claims c
   JOIN workspaces w ON w.id = c.workspace_id AND w.status = 'active'
   WHERE c.code_hash = $1 AND c.shown_by = 'device'
     AND ($2::uuid IS NULL OR c.workspace_id = $2)
   ORDER BY c.status = 'open' DESC, c.id DESC LIMIT 1`,
)
const boundOf = statement(
  'claim_bindings.of_device',
  `SELECT ${columns} FROM claims c
   WHERE c.workspace_id = $1 AND c.device_id = $2 AND c.status = 'bound'`,
)

/** `$1` is the workspace, `$2` the device, `$3` the hash of the code. */
const binding = (name: string, found: string, becomes: string) =>
  statement(
    name,
    `WITH bound AS (
       UPDATE claims AS c
       SET status = 'bound', bound_at = now(), revision = revision + 1, ${becomes}
       WHERE c.workspace_id = $1 AND c.code_hash = $3 AND ${found}
         AND c.status = 'open' AND c.expires_at > now()
         AND NOT EXISTS (SELECT 1 FROM claims b
                         WHERE b.workspace_id = $1 AND b.device_id = $2 AND b.status = 'bound')
       RETURNING ${columns}
     ), device AS (
       UPDATE devices d
       SET claimed_at = bound.bound_at, revision = d.revision + 1, updated_at = now()
       FROM bound WHERE d.workspace_id = $1 AND d.id = $2
     ), told AS (
       ${changeInsert('claim', 'bound', 'bound.id')}
     ), told_holder AS (
       ${changeInsert('moid-devices', 'bound', 'bound.moid_id')}
     )
     SELECT * FROM bound`,
  )
const bindPhoneCode = binding(
  'claim_bindings.bind_phone_code',
  `c.shown_by = 'phone'`,
  'device_id = $2',
)
const bindDeviceCode = binding(
  'claim_bindings.bind_device_code',
  `c.shown_by = 'device' AND c.device_id = $2`,
  'moid_id = $4, name = $5',
)
const release = statement(
  'claim_bindings.release',
  `WITH released AS (
     UPDATE claims AS c SET status = 'released', ended_at = now(), revision = revision + 1
     WHERE c.workspace_id = $1 AND c.device_id = $2 AND c.status = 'bound'
       AND ($3::uuid IS NULL OR c.moid_id = $3)
     RETURNING ${columns}
   ), device AS (
     UPDATE devices d
     SET claimed_at = NULL, released_at = now(), revision = d.revision + 1, updated_at = now()
     FROM released WHERE d.workspace_id = $1 AND d.id = $2
   ), told AS (
     ${changeInsert('claim', 'released', 'released.id')}
   ), told_holder AS (
     ${changeInsert('moid-devices', 'released', 'released.moid_id')}
   )
   SELECT * FROM released`,
)

/** @returns the device's status; undefined if there is no such device */
export async function lockDevice(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<string | undefined> {
  return (await db.query<{ status: string }>(lockRow, [workspaceId, deviceId]))[0]?.status
}

export interface CodeUse {
  workspaceId: string
  deviceId: string
  codeHash: Buffer
}

export interface Look {
  /** The device's current binding. */
  binding: Binding | undefined
  /** Whether it is bound by this very code. */
  isOwn: boolean
  /** Of the claim with this code. */
  status: ClaimStatus | undefined
}

/** The device's binding and the claim of a phone's code, in one snapshot. */
export async function lookAtPhoneCode(db: Db, use: CodeUse): Promise<Look> {
  type Row = { [Name in keyof Binding]: Binding[Name] | null } & {
    is_own: boolean
    status: ClaimStatus | null
  }
  const values = [use.workspaceId, use.deviceId, use.codeHash]
  const [row] = (await db.query<Row>(lookAt, values)) as [Row]
  const { is_own: isOwn, status, ...binding } = row
  return {
    binding: binding.id === null ? undefined : (binding as Binding),
    isOwn,
    status: status ?? undefined,
  }
}

/** @param within the only workspace to search; null: all */
export async function findByDeviceCode(
  db: Db,
  codeHash: Buffer,
  within: string | null,
): Promise<ShownCode | undefined> {
  return (await db.query<ShownCode>(byDeviceCode, [codeHash, within]))[0]
}

export async function findBinding(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<Binding | undefined> {
  return (await db.query<Binding>(boundOf, [workspaceId, deviceId]))[0]
}

/** Binds the open claim that a phone shows. @returns undefined if there is none */
export async function bindToPhoneCode(db: Db, use: CodeUse): Promise<Binding | undefined> {
  const values = [use.workspaceId, use.deviceId, use.codeHash]
  return (await db.query<Binding>(bindPhoneCode, values))[0]
}

/** Binds the open claim that a device shows. @returns undefined if there is none */
export async function bindToDeviceCode(
  db: Db,
  use: CodeUse,
  moidId: string,
  name: string | null,
): Promise<Binding | undefined> {
  const values = [use.workspaceId, use.deviceId, use.codeHash, moidId, name]
  return (await db.query<Binding>(bindDeviceCode, values))[0]
}

/** @param moidId only releases a binding to this identity; null: any */
export async function endBinding(
  db: Db,
  workspaceId: string,
  deviceId: string,
  moidId: string | null,
): Promise<Binding | undefined> {
  return (await db.query<Binding>(release, [workspaceId, deviceId, moidId]))[0]
}
