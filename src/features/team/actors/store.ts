/**
 * Names of those who act, and of what they act on. The audit log has the names of resources without
 * a row, and of users who are no longer members.
 */
import { sql } from '../../../platform/database/sql.ts'

interface Named {
  /** The prefix of the public id. */
  prefix: string
  /** A table whose key is the workspace and the id. */
  table: string
  label: string
  detail?: string
  isActive?: string
}

const phone = (moid: string): string => `COALESCE((
  SELECT 'phone of ' || d.name FROM claims c
  JOIN devices d ON d.workspace_id = c.workspace_id AND d.id = c.device_id
  WHERE c.workspace_id = $workspaceId AND c.moid_id = ${moid} AND c.status = 'bound'
  ORDER BY c.id DESC LIMIT 1), 'phone')`

const tables: readonly Named[] = [
  {
    prefix: 'key',
    table: 'api_keys',
    label: "CASE WHEN t.name = '' THEN 'API key' ELSE t.name END",
    isActive: 't.revoked_at IS NULL',
  },
  {
    prefix: 'dev',
    table: 'devices',
    label: 't.name',
    detail: 't.device_key',
    isActive: "t.status <> 'decommissioned'",
  },
  { prefix: 'mqp', table: 'mqtt_principals', label: 't.name', isActive: "t.status = 'active'" },
  { prefix: 'mqm', table: 'moid_mqtt_logins', label: phone('t.moid_id') },
  { prefix: 'tpl', table: 'device_templates', label: 't.name', detail: 't.model_key' },
  { prefix: 'job', table: 'jobs', label: "'job: ' || replace(t.action, '_', ' ')" },
  { prefix: 'grp', table: 'device_groups', label: 't.name' },
  { prefix: 'fld', table: 'custom_fields', label: 't.name' },
  { prefix: 'dom', table: 'domains', label: 't.name', isActive: "t.status = 'verified'" },
  {
    prefix: 'whk',
    table: 'webhooks',
    label: "COALESCE(NULLIF(t.description, ''), t.url)",
    detail: 't.url',
    isActive: "t.status = 'enabled'",
  },
  { prefix: 'inv', table: 'invitations', label: 't.email', isActive: "t.status = 'pending'" },
]

const named = ({ prefix, table, label, detail = 'NULL', isActive = 'true' }: Named): string =>
  `SELECT i.public_id, ${label}, ${detail}, ${isActive} FROM i
   JOIN ${table} t ON t.workspace_id = $workspaceId AND t.id = i.id WHERE i.prefix = '${prefix}'`

/**
 * Whether the audit log has the id as an actor or as a resource. Refused requests do not count,
 * because they may name any id.
 * Invoices have ids like invitations.
 */
const isKnown = `(EXISTS (
  SELECT FROM audit_log a WHERE a.workspace_id = $workspaceId AND a.actor_id = i.public_id
) OR EXISTS (
  SELECT FROM audit_log a WHERE a.workspace_id = $workspaceId AND a.resource_id = i.public_id
    AND a.action <> 'access.refused' AND a.resource_kind <> 'invoice'))`

/** Users and phones are not of one workspace: they are known where they belong or have acted. */
const shared = [
  `SELECT i.public_id, CASE WHEN u.name = '' THEN u.email ELSE u.name END,
          CASE WHEN u.name = '' THEN NULL ELSE u.email END, m.user_id IS NOT NULL FROM i
   JOIN users u ON u.id = i.id
   LEFT JOIN memberships m ON m.workspace_id = $workspaceId AND m.user_id = i.id
   WHERE i.prefix = 'usr'
     AND (m.user_id IS NOT NULL OR ${isKnown})`,
  `SELECT i.public_id, ${phone('i.id')}, NULL, EXISTS (
     SELECT FROM claims c
     WHERE c.workspace_id = $workspaceId AND c.moid_id = i.id AND c.status = 'bound') FROM i
   WHERE i.prefix = 'moid' AND (${isKnown} OR EXISTS (
     SELECT FROM claims c WHERE c.workspace_id = $workspaceId AND c.moid_id = i.id))`,
]

/** A row without a label is of something that existed. */
export const findNames = sql('actors.names')`
  WITH i AS MATERIALIZED (
    SELECT * FROM unnest($ids::uuid[], $publicIds::text[], $prefixes::text[])
      AS given (id, public_id, prefix)
  ), found (public_id, label, detail, is_active) AS (
    ${[...tables.map(named), ...shared].join('\n     UNION ALL ')}
  )
  SELECT i.public_id AS id!, i.prefix AS prefix!, found.label AS label?, found.detail AS detail?,
         COALESCE(found.is_active, false) AS is_active!
  FROM i LEFT JOIN found ON found.public_id = i.public_id
  WHERE found.public_id IS NOT NULL OR ${isKnown}`
