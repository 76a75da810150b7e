/** Queries on accounts for operators. */
import { sql } from '../../../platform/database/sql.ts'
import { hasAuthenticator } from '../../identity/accounts/factor-statements.ts'

export const findAccount = sql('operator.account')`
  SELECT u.id, u.email, u.name, u.status, u.installation_role AS role, u.created_at,
    u.initial_password_until IS NOT NULL AS initial_password!,
    ${hasAuthenticator} AS authenticator!,
    (SELECT count(*) FROM passkeys p WHERE p.user_id = u.id) AS passkeys!,
    (SELECT count(*) FROM user_sessions s WHERE s.user_id = u.id AND s.ended_at IS NULL
       AND least(s.expires_at, coalesce(s.ends_at, s.created_at + interval '90 days')) > now()
    ) AS sessions!,
    (SELECT max(s.created_at) FROM user_sessions s WHERE s.user_id = u.id) AS last_session_at
  FROM users u WHERE u.id = $id`
export const listMemberships = sql('operator.memberships')`
  SELECT w.id AS workspace_id, w.slug, w.name, m.role, m.created_at AS since
  FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
  WHERE m.user_id = $userId ORDER BY w.slug LIMIT 1000`
/** The names of accounts and workspaces, whatever their state. */
export const findNames = sql('operator.names')`
  SELECT 'usr' AS prefix!, u.id AS id!, u.email AS label! FROM users u
  WHERE u.id = ANY($accounts::uuid[])
  UNION ALL
  SELECT 'ws', w.id, w.name FROM workspaces w WHERE w.id = ANY($workspaces::uuid[])`
