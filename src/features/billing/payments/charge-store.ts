/** Queries on the progress of payments: their state at the provider, and when to check next. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import { columns, open, type PaymentRef, type PaymentRow } from './store.ts'

const qualified = columns.replaceAll(/\w+/g, (name) => `p.${name}`)

const bind = statement(
  'payments.bind',
  `UPDATE payments SET provider_id = coalesce(provider_id, $3), updated_at = now()
   WHERE workspace_id = $1 AND id = $2 AND ${open} RETURNING ${columns}`,
)
// States are ranked: an older reading never replaces a newer one.
const advance = statement(
  'payments.advance',
  `UPDATE payments SET status = $3, updated_at = now()
   WHERE workspace_id = $1 AND id = $2
     AND (status = 'created' OR (status = 'requires_action' AND $3 = 'processing'))`,
)
const succeed = statement(
  'payments.succeed',
  `UPDATE payments SET status = 'succeeded', credited_to = $3, ended_at = now(), updated_at = now()
   WHERE workspace_id = $1 AND id = $2 AND ${open} RETURNING ${columns}`,
)
const fail = statement(
  'payments.fail',
  `UPDATE payments SET status = 'failed', failure_code = $3, failure_message = $4, ended_at = now(),
          updated_at = now()
   WHERE workspace_id = $1 AND id = $2 AND ${open} AND provider_id IS NOT DISTINCT FROM $5
   RETURNING ${columns}`,
)
const byProviderId = statement(
  'payments.by_provider_id',
  'SELECT workspace_id, id FROM payments WHERE provider = $1 AND provider_id = $2',
)
// After a minute, then doubling up to six hours.
const due = statement(
  'payments.due',
  `UPDATE payments p
   SET checks = p.checks + 1,
       check_at = now() + least(interval '1 minute' * 2 ^ least(p.checks + 1, 9),
                                interval '6 hours')
   FROM (SELECT workspace_id, id FROM payments WHERE ${open} AND check_at <= now()
         ORDER BY check_at LIMIT $1 FOR UPDATE SKIP LOCKED) AS hit
   WHERE p.workspace_id = hit.workspace_id AND p.id = hit.id
   RETURNING ${qualified}, p.created_at < now() - interval '1 day' AS is_old`,
)

type Found = Promise<PaymentRow | undefined>
const first = async (rows: Promise<PaymentRow[]>): Found => (await rows)[0]

/**
 * Stores the provider's id; the first one is kept.
 * @returns the row with the stored id; undefined if it has ended meanwhile
 */
export const bindPayment = (db: Db, { workspace_id, id }: PaymentRef, providerId: string): Found =>
  first(db.query(bind, [workspace_id, id, providerId]))

export async function advancePayment(
  db: Db,
  { workspace_id, id }: PaymentRef,
  status: 'requires_action' | 'processing',
): Promise<void> {
  await db.query(advance, [workspace_id, id, status])
}

/** The caller holds its lock and has seen that it is open. */
export async function succeedPayment(
  trx: Db,
  { workspace_id, id }: PaymentRef,
  creditedTo: 'invoice' | 'balance',
): Promise<PaymentRow> {
  return (await trx.query<PaymentRow>(succeed, [workspace_id, id, creditedTo]))[0] as PaymentRow
}

/**
 * @param ref with the provider's id at the time of the failure: with another one the payment
 * continues
 * @returns undefined if it had already ended
 */
export const failPayment = (
  trx: Db,
  { workspace_id, id, provider_id }: Pick<PaymentRow, 'workspace_id' | 'id' | 'provider_id'>,
  failure: { code: string; message: string },
): Found => first(trx.query(fail, [workspace_id, id, failure.code, failure.message, provider_id]))

/** Of any workspace. */
export async function findByProviderId(
  db: Db,
  provider: string,
  providerId: string,
): Promise<PaymentRef | undefined> {
  return (await db.query<PaymentRef>(byProviderId, [provider, providerId]))[0]
}

/** Due open payments, each handed to one caller. */
export const takeDuePayments = (
  db: Db,
  limit: number,
): Promise<(PaymentRow & { is_old: boolean })[]> => db.query(due, [limit])
