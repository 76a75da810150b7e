/** Queries on the installation of a database, its state and its restoration. */
import type { Db } from '../../../platform/database/connect.ts'
import { hasFactor } from '../../identity/accounts/factor-statements.ts'
import { sql } from '../../../platform/database/sql.ts'

/** Serializes concurrent setups of a database. */
export const lockInstallation = sql('installation.lock')`
  LOCK TABLE installation IN SHARE ROW EXCLUSIVE MODE`
const read = sql('installation.read')`SELECT value FROM installation WHERE name = $name`
const insert = sql('installation.insert')`
  INSERT INTO installation (name, value) VALUES ($name, $value)`
export const hasAccounts = sql('installation.any_account')`
  SELECT EXISTS (SELECT FROM users) AS found!`

const FINGERPRINT = 'master_key_fingerprint'

/** The fingerprint of the master key; undefined before setup. */
export const readFingerprint = async (db: Db): Promise<string | undefined> =>
  (await read.first(db, { name: FINGERPRINT }))?.value

export async function insertFingerprint(trx: Db, fingerprint: string): Promise<void> {
  await insert.run(trx, { name: FINGERPRINT, value: fingerprint })
}

// The values that must not be as they were at the time of a restored backup.

export const skipEvents = sql('restored.skip_events')`
  SELECT setval('events_seq', nextval('events_seq') + $count::bigint)`
export const skipSerials = sql('restored.skip_serials')`
  UPDATE template_serials SET next = next + $count`
export const skipInvoices = sql('restored.skip_invoices')`
  UPDATE invoice_numbers SET last = last + $count`
export const endUserSessions = sql('restored.end_user_sessions')`
  UPDATE user_sessions SET ended_at = now(), end_reason = 'backup_restored'
  WHERE ended_at IS NULL`
export const endPhoneSessions = sql('restored.end_phone_sessions')`
  UPDATE moid_sessions SET ended_at = now(), end_reason = 'backup_restored'
  WHERE ended_at IS NULL`
export const noteRestore = sql('restored.note')`
  INSERT INTO installation (name, value) VALUES ('restored_backup', $value)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

// Counts have a bound, so that the statement stays cheap when something has piled up.
export const readState = sql('installation.state')`
  SELECT current_setting('server_version') AS version!,
    pg_database_size(current_database()) AS bytes!,
    (SELECT count(*) FROM (
       SELECT FROM mail_outbox WHERE status = 'queued' LIMIT 10000) AS m) AS mails_queued!,
    newest.kept AS mails_kept!, newest.failed AS mails_failed!,
    (SELECT coalesce(sum(cardinality(ids)), 0) FROM (
       SELECT ids FROM audit_queue LIMIT 10000) AS a) AS audit_entries_unchained!,
    (SELECT count(*) FROM domain_certificates
     WHERE not_after < now() + make_interval(days => $days)) AS certificates_ending!,
    (SELECT value FROM installation WHERE name = 'restored_backup') AS restored_backup
  FROM (SELECT count(*) FILTER (WHERE status = 'kept') AS kept,
          count(*) FILTER (WHERE status = 'failed') AS failed
        FROM (SELECT status FROM mail_outbox ORDER BY id DESC LIMIT 10000) AS m) AS newest`

// The lists of the installation, across workspaces, for its operator.
export const listAccounts = sql('installation.accounts')`
  SELECT u.email, u.id, u.name, u.status, ${hasFactor} AS second_factor!,
    u.installation_role AS role,
    coalesce((SELECT string_agg(w.slug || ' (' || m.role || ')', ', ' ORDER BY w.slug)
      FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
      WHERE m.user_id = u.id), '') AS workspaces!,
    u.created_at
  FROM users u
  WHERE ($search?::text IS NULL OR position(lower($search) IN lower(u.email || ' ' || u.name)) > 0)
    AND ($after?::text IS NULL OR u.email > $after)
  ORDER BY u.email LIMIT $limit`
export const listWorkspaces = sql('installation.workspaces')`
  SELECT w.slug, w.id, w.name, w.status,
    (SELECT count(*) FROM memberships m WHERE m.workspace_id = w.id) AS members!,
    w.created_at, w.erase_at
  FROM workspaces w
  WHERE ($search?::text IS NULL OR position(lower($search) IN lower(w.slug || ' ' || w.name)) > 0)
    AND ($after?::text IS NULL OR w.slug > $after)
  ORDER BY w.slug LIMIT $limit`
export const listKeys = sql('installation.keys')`
  SELECT w.slug AS workspace, k.id, k.kind, k.name, k.hint,
    CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired'
      ELSE 'active' END AS status!,
    k.created_by, k.created_at, k.last_used_at
  FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
  WHERE $slug?::text IS NULL OR w.slug = $slug
  ORDER BY w.slug, k.id LIMIT $limit`
export const listInvitations = sql('installation.invitations')`
  SELECT w.slug AS workspace, i.email, i.id, i.role, i.status, i.created_by, i.created_at,
    i.expires_at
  FROM invitations i JOIN workspaces w ON w.id = i.workspace_id
  WHERE ($slug?::text IS NULL OR w.slug = $slug)
    AND ($after?::text IS NULL OR w.slug || ' ' || i.id > $after)
  ORDER BY w.slug || ' ' || i.id LIMIT $limit`
