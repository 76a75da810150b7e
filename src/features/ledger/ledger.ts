/**
 * The ledger: double entry, append-only, in whole minor units. A transaction is written once for
 * its key, whoever asks for it how often; its sum is zero, which the database looks at as well.
 */
import type { Db } from '../../database/connect.ts'
import { newUuid } from '../../lib/ids.ts'
import * as store from './store.ts'

export type { LedgerAccount, LedgerLine } from './store.ts'

export interface Posting {
  workspaceId: string
  /** `<what it is>:<of what>`, such as `payment:pay_…`. Once in a workspace; callers see it. */
  key: string
  currency: string
  /** Lines of the amount zero are left out. */
  lines: readonly store.LedgerLine[]
}

/** A key that stands in the ledger already, for other lines. */
export class KeyTaken extends Error {
  override name = 'KeyTaken'
}

/** Whether a transaction says what was to be written. */
const isSame = ({ currency, lines }: store.TransactionRow, posting: Posting): boolean =>
  currency === posting.currency &&
  lines.length === posting.lines.length &&
  lines.every(({ account, amount }, index) => {
    const line = posting.lines[index]
    return line?.account === account && line.amount === amount
  })

/**
 * Writes a transaction into the ledger, unless its key is there already.
 * @param trx the transaction of the change that it belongs to.
 * @returns whether it was written now; false: it had been, with the same lines.
 * @throws Error when the lines do not add up to zero, KeyTaken when the key stands for other lines:
 * both are mistakes of the caller, and nothing is written.
 */
export async function post(trx: Db, posting: Posting): Promise<boolean> {
  const lines = posting.lines.filter(({ amount }) => amount !== 0)
  const amounts = lines.map(({ amount }) => BigInt(amount))
  if (amounts.reduce((sum, amount) => sum + amount, 0n) !== 0n) {
    throw new Error('the lines of a ledger transaction do not add up to zero')
  }
  if (!lines.every(({ amount }) => Number.isSafeInteger(amount))) {
    throw new Error('an amount of a ledger transaction is not exact')
  }
  if (lines.length === 0) return false
  const whole = { ...posting, lines }
  if (await store.insertTransaction(trx, { ...whole, id: newUuid() })) return true
  const found = await store.findByKey(trx, posting.workspaceId, posting.key)
  if (found === undefined || !isSame(found, whole)) {
    throw new KeyTaken('the key of a ledger transaction stands for another one')
  }
  return false
}

/** What stands in the ledger under a key, or undefined. */
export async function linesOf(
  db: Db,
  workspaceId: string,
  key: string,
): Promise<readonly store.LedgerLine[] | undefined> {
  return (await store.findByKey(db, workspaceId, key))?.lines
}

export interface AccountSums {
  /** What was paid in advance and is not used; minor units. */
  prepaid: number
  /** What issued invoices ask for and was not paid. */
  receivable: number
}

/** Whoever spends from the balance holds the lock of the subscription meanwhile. */
export async function readSums(
  db: Db,
  workspaceId: string,
  currency: string,
): Promise<AccountSums> {
  const { balance = 0, receivable = 0 } = await store.sumsOf(db, workspaceId, currency)
  return { prepaid: balance === 0 ? 0 : -balance, receivable }
}
