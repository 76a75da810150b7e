/**
 * The query behind a CONNECT: everything that decides it, by the user name alone. Concurrent
 * CONNECTs share a statement.
 */
import type { PointReader } from '../../../platform/database/connect.ts'
import {
  composed,
  type RowOf,
  sql,
  stored,
  withUnseenArrays,
} from '../../../platform/database/sql.ts'
import { BatchedReads } from '../../../platform/database/batched-reads.ts'
import { OwnRules, TemplateRules } from '../../common/topic-rule.ts'
import { HeldDevices, Secrets } from './schema.ts'

/** Columns of every kind of credential. */
export type CredentialRow = Pick<
  DeviceRow,
  'workspace_id' | 'id' | 'sessions_from' | 'slug' | 'workspace_status' | 'secrets' | 'own_rules'
>

/** @param isUsed SQL; recorded for devices only, since only their responses are repeated */
const secretsOf = (from: string, isUsed: string): string =>
  composed(
    `(SELECT json_agg(json_build_object(
             'generation', s.generation, 'hash', encode(s.hash, 'base64'),
             'expires_at', extract(epoch FROM s.expires_at) * 1000, 'is_used', ${isUsed}))
    FROM ${from})`,
    Secrets,
    'secrets',
  )

const byDevices = sql('mqtt_credentials.by_devices', withUnseenArrays)`
  SELECT d.workspace_id, d.id, d.device_key, d.status, d.approval, d.template_id,
         d.sessions_from, w.slug, w.status AS workspace_status, ${stored('t.mqtt_acl', TemplateRules)},
         t.revision AS template_revision, ${stored('a.rules', OwnRules, 'own_rules')},
         ${secretsOf(
           `device_secrets s
            WHERE s.workspace_id = d.workspace_id AND s.device_id = d.id AND s.kind = 'mqtt'`,
           's.is_used',
         )}
  FROM devices d
  JOIN workspaces w ON w.id = d.workspace_id
  LEFT JOIN device_templates t ON t.workspace_id = d.workspace_id AND t.id = d.template_id
  LEFT JOIN device_acls a ON a.workspace_id = d.workspace_id AND a.device_id = d.id
  WHERE d.id = ANY ($ids::uuid[])`
export type DeviceRow = RowOf<typeof byDevices>
const byPrincipals = sql('mqtt_credentials.by_principals', withUnseenArrays)`
  SELECT p.workspace_id, p.id, p.status, p.expires_at, p.sessions_from, w.slug,
         w.status AS workspace_status, ${stored('a.rules', OwnRules, 'own_rules')},
         ${secretsOf(
           `mqtt_principal_secrets s
            WHERE s.workspace_id = p.workspace_id AND s.principal_id = p.id`,
           'true',
         )}
  FROM mqtt_principals p
  JOIN workspaces w ON w.id = p.workspace_id
  LEFT JOIN mqtt_principal_acls a ON a.workspace_id = p.workspace_id AND a.principal_id = p.id
  WHERE p.id = ANY ($ids::uuid[])`
export type PrincipalRow = RowOf<typeof byPrincipals>

/** Reads of devices and principals by UUID. */
export interface LastingReads {
  devices: BatchedReads<DeviceRow>
  principals: BatchedReads<PrincipalRow>
}

export const lastingReads = (points: PointReader): LastingReads => ({
  devices: new BatchedReads((ids) => byDevices.rows(points, { ids })),
  principals: new BatchedReads((ids) => byPrincipals.rows(points, { ids })),
})

// The query behind the CONNECT of a phone: its login and the devices its identity has claimed.

/** Devices that one login covers at most: the most recently claimed ones. */
export const MAX_DEVICES = 100

export type PhoneRow = RowOf<typeof findPhone>

/**
 * SQL of the devices that an identity has claimed in a workspace, as a JSON list.
 * @param moid SQL of the identity's UUID
 * @param workspace SQL of the workspace's
 */
const heldDevices = (moid: string, workspace: string): string =>
  `(SELECT json_agg(json_build_object(
             'id', d.id, 'device_key', d.device_key,
             'serves', d.status IN ('registered', 'active') AND d.approval = 'approved')
             ORDER BY d.id)
    FROM (SELECT c.device_id FROM claims c
          WHERE c.moid_id = ${moid} AND c.status = 'bound' AND c.workspace_id = ${workspace}
          ORDER BY c.id DESC LIMIT ${MAX_DEVICES}) AS held
    JOIN devices d ON d.workspace_id = ${workspace} AND d.id = held.device_id)`

export const findPhone = sql('mqtt_credentials.by_phone')`
  SELECT l.workspace_id, l.id, l.moid_id, l.session_id, w.slug,
         least(l.expires_at, s.expires_at) AS expires_at!,
         encode(l.hash, 'base64') AS hash!,
         w.status AS workspace_status,
         coalesce(s.ended_at IS NULL AND s.expires_at > now(), false) AS session_lives!,
         ${composed(heldDevices('l.moid_id', 'l.workspace_id'), HeldDevices, 'devices')}
  FROM moid_mqtt_logins l
  JOIN workspaces w ON w.id = l.workspace_id
  LEFT JOIN moid_sessions s ON s.id = l.session_id
  WHERE l.id = $id`
