/** What an installation has, across workspaces, for its operator. */
import { sql } from '../../../platform/database/sql.ts'
import { hasFactor } from '../../identity/accounts/factor-statements.ts'

export const listAccounts = sql(
  'installation.accounts',
  `SELECT u.id, u.email, u.name, u.status, u.created_at,
     ${hasFactor} AS has_second_factor!,
     coalesce((SELECT string_agg(w.slug || ' (' || m.role || ')', ', ' ORDER BY w.slug)
       FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
       WHERE m.user_id = u.id), '') AS workspaces!,
     u.installation_role
   FROM users u
   WHERE ($search?::text IS NULL OR position(lower($search) IN lower(u.email || ' ' || u.name)) > 0)
     AND ($after?::text IS NULL OR u.email > $after)
   ORDER BY u.email LIMIT $limit`,
)
export const listWorkspaces = sql(
  'installation.workspaces',
  `SELECT w.id, w.slug, w.name, w.status, w.created_at, w.erase_at,
     (SELECT count(*) FROM memberships m WHERE m.workspace_id = w.id) AS members!
   FROM workspaces w
   WHERE ($search?::text IS NULL OR position(lower($search) IN lower(w.slug || ' ' || w.name)) > 0)
     AND ($after?::text IS NULL OR w.slug > $after)
   ORDER BY w.slug LIMIT $limit`,
)
export const listKeys = sql(
  'installation.keys',
  `SELECT w.slug AS workspace, k.id, k.kind, k.name, k.hint, k.created_by, k.created_at,
     k.last_used_at,
     CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired'
       ELSE 'active' END AS status!
   FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
   WHERE $slug?::text IS NULL OR w.slug = $slug
   ORDER BY w.slug, k.id LIMIT $limit`,
)
export const listInvitations = sql(
  'installation.invitations',
  `SELECT w.slug AS workspace, i.id, i.email, i.role, i.status, i.created_by, i.created_at,
     i.expires_at
   FROM invitations i JOIN workspaces w ON w.id = i.workspace_id
   WHERE ($slug?::text IS NULL OR w.slug = $slug)
     AND ($after?::text IS NULL OR w.slug || ' ' || i.id > $after)
   ORDER BY w.slug || ' ' || i.id LIMIT $limit`,
)
