/** What an installation has, across workspaces, for its operator. */
import { sql } from '../../../platform/database/sql.ts'
import { hasFactor } from '../../identity/accounts/factor-statements.ts'

export const listAccounts = sql(
  'installation.accounts',
  `SELECT u.email, u.id, u.name, u.status, ${hasFactor} AS second_factor!,
     u.installation_role AS role,
     coalesce((SELECT string_agg(w.slug || ' (' || m.role || ')', ', ' ORDER BY w.slug)
       FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
       WHERE m.user_id = u.id), '') AS workspaces!,
     u.created_at
   FROM users u
   WHERE ($search?::text IS NULL OR position(lower($search) IN lower(u.email || ' ' || u.name)) > 0)
     AND ($after?::text IS NULL OR u.email > $after)
   ORDER BY u.email LIMIT $limit`,
)
export const listWorkspaces = sql(
  'installation.workspaces',
  `SELECT w.slug, w.id, w.name, w.status,
     (SELECT count(*) FROM memberships m WHERE m.workspace_id = w.id) AS members!,
     w.created_at, w.erase_at
   FROM workspaces w
   WHERE ($search?::text IS NULL OR position(lower($search) IN lower(w.slug || ' ' || w.name)) > 0)
     AND ($after?::text IS NULL OR w.slug > $after)
   ORDER BY w.slug LIMIT $limit`,
)
export const listKeys = sql(
  'installation.keys',
  `SELECT w.slug AS workspace, k.id, k.kind, k.name, k.hint,
     CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired'
       ELSE 'active' END AS status!,
     k.created_by, k.created_at, k.last_used_at
   FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
   WHERE $slug?::text IS NULL OR w.slug = $slug
   ORDER BY w.slug, k.id LIMIT $limit`,
)
export const listInvitations = sql(
  'installation.invitations',
  `SELECT w.slug AS workspace, i.email, i.id, i.role, i.status, i.created_by, i.created_at,
     i.expires_at
   FROM invitations i JOIN workspaces w ON w.id = i.workspace_id
   WHERE ($slug?::text IS NULL OR w.slug = $slug)
     AND ($after?::text IS NULL OR w.slug || ' ' || i.id > $after)
   ORDER BY w.slug || ' ' || i.id LIMIT $limit`,
)
