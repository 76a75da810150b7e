/** Queries on processed provider events. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'

/** @returns whether it is new */
export const takeProviderEvent = sql(
  'payment_events.take',
  `INSERT INTO payment_events (provider, id) VALUES ($provider, $id) ON CONFLICT DO NOTHING
     RETURNING id`,
)
const deleteEvents = sql(
  'payment_events.forget',
  `DELETE FROM payment_events WHERE (provider, id) IN (
     SELECT provider, id FROM payment_events WHERE taken_at < now() - make_interval(days => $days)
     LIMIT $limit) RETURNING 1`,
)

/** @returns the number deleted */
export const deleteProviderEvents = async (db: Db, days: number, limit: number): Promise<number> =>
  (await deleteEvents.rows(db, { days, limit })).length
