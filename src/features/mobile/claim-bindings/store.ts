/**
 * Queries that bind and release devices. Each is one conditional statement, run under the lock of
 * the device's row, which also announces the change of the claim and of its holder's devices.
 */
import { changeInsert } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { isJoined, type RowOf, sql } from '../../../platform/database/sql.ts'

export type Binding = RowOf<typeof findBinding>

export type ClaimStatus = 'open' | 'bound' | 'released' | 'expired' | 'cancelled'

const columns = `c.workspace_id, c.id, c.moid_id AS moid_id!, c.device_id AS device_id!,
  c.bound_at AS bound_at!`
const state = `CASE WHEN c.status = 'open' AND c.expires_at <= now() THEN 'expired'
                    ELSE c.status END AS status!`

/** @returns the device's status; undefined if there is no such device */
export const lockDevice = sql('claim_bindings.lock_device')`
  SELECT status FROM devices WHERE workspace_id = $workspaceId AND id = $id FOR NO KEY UPDATE`
const checkCode = sql('claim_bindings.check_code')`
  SELECT b.workspace_id, b.id, b.moid_id, b.device_id, b.bound_at,
         coalesce(b.code_hash = $codeHash, false) AS is_own!, m.status AS claim_status
  FROM (SELECT) AS one
  LEFT JOIN (SELECT * FROM claims c
             WHERE c.workspace_id = $workspaceId AND c.device_id = $deviceId
               AND c.status = 'bound') AS b ON true
  LEFT JOIN (SELECT ${state} FROM claims c
             WHERE c.workspace_id = $workspaceId AND c.code_hash = $codeHash
               AND c.shown_by = 'phone') AS m ON true`
/** @param workspaceId the only one to search; null: all */
export const findByDeviceCode = sql('claim_bindings.by_device_code')`
  SELECT c.workspace_id, c.id, c.device_id AS device_id!, ${state} FROM claims c
  JOIN workspaces w ON w.id = c.workspace_id AND w.status = 'active'
  WHERE c.code_hash = $codeHash AND c.shown_by = 'device'
    AND ($workspaceId?::uuid IS NULL OR c.workspace_id = $workspaceId)
  ORDER BY c.status = 'open' DESC, c.id DESC LIMIT 1`
export const findBinding = sql('claim_bindings.of_device')`
  SELECT ${columns} FROM claims c
  WHERE c.workspace_id = $workspaceId AND c.device_id = $deviceId AND c.status = 'bound'`

const binding = (found: string, becomes: string) =>
  `WITH bound AS (
       UPDATE claims AS c
       SET status = 'bound', bound_at = now(), revision = revision + 1, ${becomes}
       WHERE c.workspace_id = $workspaceId AND c.code_hash = $codeHash AND ${found}
         AND c.status = 'open' AND c.expires_at > now()
         AND NOT EXISTS (SELECT 1 FROM claims b
                         WHERE b.workspace_id = $workspaceId AND b.device_id = $deviceId
                           AND b.status = 'bound')
       RETURNING ${columns}
     ), device AS (
       UPDATE devices d
       SET claimed_at = bound.bound_at, revision = d.revision + 1, updated_at = now()
       FROM bound WHERE d.workspace_id = $workspaceId AND d.id = $deviceId
     ), announced AS (
       ${changeInsert('claim', 'bound', 'bound.id')}
     ), announced_phone AS (
       ${changeInsert('moid-devices', 'bound', 'bound.moid_id')}
     )
     SELECT * FROM bound`
/** Binds the open claim that a phone shows. @returns undefined if there is none */
export const bindToPhoneCode = sql('claim_bindings.bind_phone_code')`
  ${binding(`c.shown_by = 'phone'`, 'device_id = $deviceId')}`
/** Binds the open claim that a device shows. @returns undefined if there is none */
export const bindToDeviceCode = sql('claim_bindings.bind_device_code')`
  ${binding(`c.shown_by = 'device' AND c.device_id = $deviceId`, 'moid_id = $moidId, name = $name?')}`
/** @param moidId only releases a binding to this identity; null: any */
export const endBinding = sql('claim_bindings.release')`
  WITH released AS (
    UPDATE claims AS c SET status = 'released', ended_at = now(), revision = revision + 1
    WHERE c.workspace_id = $workspaceId AND c.device_id = $deviceId AND c.status = 'bound'
      AND ($moidId?::uuid IS NULL OR c.moid_id = $moidId)
    RETURNING ${columns}
  ), device AS (
    UPDATE devices d
    SET claimed_at = NULL, released_at = now(), revision = d.revision + 1, updated_at = now()
    FROM released WHERE d.workspace_id = $workspaceId AND d.id = $deviceId
  ), announced AS (
    ${changeInsert('claim', 'released', 'released.id')}
  ), announced_phone AS (
    ${changeInsert('moid-devices', 'released', 'released.moid_id')}
  )
  SELECT * FROM released`

export interface CodeUse {
  workspaceId: string
  deviceId: string
  codeHash: Buffer
}

export interface CodeCheck {
  /** The device's current binding. */
  binding: Binding | undefined
  /** Whether it is bound by this very code. */
  isOwn: boolean
  /** The status of the claim with this code. */
  status: ClaimStatus | undefined
}

/** The device's binding and the claim of a phone's code, in one snapshot. */
export async function readPhoneCode(db: Db, use: CodeUse): Promise<CodeCheck> {
  const { is_own: isOwn, claim_status: status, ...binding } = await checkCode.one(db, use)
  return {
    binding: isJoined<Binding>(binding, 'id') ? binding : undefined,
    isOwn,
    status: status ?? undefined,
  }
}
