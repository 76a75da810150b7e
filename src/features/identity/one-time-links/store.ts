/** Queries on links that work once. */
import { sql } from '../../../platform/database/sql.ts'

/** Whether the first owner has neither used the link of the first start nor chosen a password. */
export const openSetup = sql(
  'one_time_links.open_setup',
  `SELECT l.id FROM one_time_links l JOIN users u ON u.id = l.user_id
   WHERE l.purpose = 'setup' AND l.used_at IS NULL AND u.initial_password_until IS NOT NULL`,
)
