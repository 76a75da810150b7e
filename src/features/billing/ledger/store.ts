/** Queries on the ledger. */
import type { Db } from '../../../platform/database/connect.ts'
import { composed, type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import { type LedgerAccount, LedgerLines } from './schema.ts'

// A single statement: triggers check the sum when it ends.
/** Without a result if the key exists; then nothing is written. */
export const insertTransaction = sql('ledger.insert')`
  WITH transaction AS (
    INSERT INTO ledger_transactions (workspace_id, id, key, currency, entries)
    VALUES ($workspaceId, $id, $key, $currency, cardinality($entries::text[]))
    ON CONFLICT ON CONSTRAINT ledger_transactions_key DO NOTHING
    RETURNING workspace_id, id, currency
  )
  INSERT INTO ledger_entries (workspace_id, transaction_id, position, account, currency, amount)
  SELECT t.workspace_id, t.id, line.position, line.account, t.currency, line.amount
  FROM transaction t,
       unnest($entries::text[], $amounts::bigint[]) WITH ORDINALITY
         AS line (account, amount, position)
  RETURNING position`
const linesOf = (row: string): string =>
  composed(
    `(SELECT json_agg(json_build_object('account', e.account, 'amount', e.amount)
                      ORDER BY e.position)
      FROM ledger_entries e
      WHERE e.workspace_id = ${row}.workspace_id AND e.transaction_id = ${row}.id)`,
    LedgerLines,
    'lines!',
  )
export const findByKey = sql('ledger.by_key')`
  SELECT t.id, t.key, t.currency, t.created_at, ${linesOf('t')}
  FROM ledger_transactions t WHERE t.workspace_id = $workspaceId AND t.key = $key`
export type TransactionRow = RowOf<typeof findByKey>

/** Newest first. */
export const pageOfTransactions = filteredList('ledger.filtered', {
  columns: 'workspace_id, id, key, currency, created_at',
  more: linesOf('seen'),
  table: 'ledger_transactions',
  fields: { reference: { sql: 'key' }, created_at: { sql: 'created_at', isTimeOfId: true } },
})
const sums = sql('ledger.sums')`
  SELECT account, sum(amount)::bigint AS amount FROM ledger_entries
  WHERE workspace_id = $workspaceId AND currency = $currency GROUP BY account`

/** The sum of each account with entries. */
export async function sumsOf(
  db: Db,
  workspaceId: string,
  currency: string,
): Promise<Partial<Record<LedgerAccount, number>>> {
  const rows = await sums.rows(db, { workspaceId, currency })
  return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]))
}
