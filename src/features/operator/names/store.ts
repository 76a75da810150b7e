/** Names of accounts and workspaces, whatever their state. */
import { sql } from '../../../platform/database/sql.ts'

export const findNames = sql(
  'operator.names',
  `SELECT 'usr' AS prefix!, u.id AS id!, u.email AS label! FROM users u
   WHERE u.id = ANY($accounts::uuid[])
   UNION ALL
   SELECT 'ws', w.id, w.name FROM workspaces w WHERE w.id = ANY($workspaces::uuid[])`,
)
