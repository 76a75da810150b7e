/** Queries on processed provider events. */
import { type Db, statement } from '../../../platform/database/connect.ts'

const takeEvent = statement(
  'payment_events.take',
  `INSERT INTO payment_events (provider, id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id`,
)
const deleteEvents = statement(
  'payment_events.forget',
  `DELETE FROM payment_events WHERE (provider, id) IN (
     SELECT provider, id FROM payment_events WHERE taken_at < now() - make_interval(days => $1)
     LIMIT $2) RETURNING 1`,
)

/** @returns whether it is new */
export const takeProviderEvent = async (trx: Db, provider: string, id: string): Promise<boolean> =>
  (await trx.query(takeEvent, [provider, id])).length > 0

/** @returns the number deleted */
export const deleteProviderEvents = async (db: Db, days: number, limit: number): Promise<number> =>
  (await db.query(deleteEvents, [days, limit])).length
