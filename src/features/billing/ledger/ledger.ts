/**
 * The ledger: double-entry, append-only, in integer minor units. A transaction is posted once per
 * key, however often it is requested; its sum is zero, which the database enforces as well.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import type { LedgerAccount, LedgerLine } from './schema.ts'
import * as store from './store.ts'

export type { LedgerAccount, LedgerLine } from './schema.ts'

export interface Posting {
  workspaceId: string
  /** `<kind>:<subject>`, such as `payment:pay_…`. Unique in a workspace; visible to callers. */
  key: string
  currency: string
  /** Zero amounts are omitted. */
  lines: readonly LedgerLine[]
}

/** The key exists with different lines. */
export class KeyTaken extends Error {
  override name = 'KeyTaken'
}

/** Whether a stored transaction equals the posting. */
const isSame = ({ currency, lines }: store.TransactionRow, posting: Posting): boolean =>
  currency === posting.currency &&
  lines.length === posting.lines.length &&
  lines.every(({ account, amount }, index) => {
    const line = posting.lines[index]
    return line?.account === account && line.amount === amount
  })

/**
 * Posts a transaction, unless its key exists.
 * @param trx the transaction of the change that it belongs to
 * @returns whether it was posted now; false: it exists with the same lines
 * @throws Error if the lines do not sum to zero, KeyTaken if the key has other lines: both are bugs
 * of the caller, and nothing is written
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
  const { workspaceId, key, currency } = posting
  const isPosted = await store.insertTransaction.any(trx, {
    workspaceId,
    id: newUuid(),
    key,
    currency,
    entries: lines.map(({ account }) => account),
    amounts: lines.map(({ amount }) => amount),
  })
  if (isPosted) return true
  const found = await store.findByKey.first(trx, { workspaceId, key })
  if (found === undefined || !isSame(found, { ...posting, lines })) {
    throw new KeyTaken('the key of a ledger transaction stands for another one')
  }
  return false
}

/** The transaction of a key, or undefined. */
export const linesOf = async (
  db: Db,
  workspaceId: string,
  key: string,
): Promise<readonly LedgerLine[] | undefined> =>
  (await store.findByKey.first(db, { workspaceId, key }))?.lines

/** The sum of the lines of an account. */
export const sumOf = (lines: readonly LedgerLine[], account: LedgerAccount): number =>
  lines.reduce((sum, line) => (line.account === account ? sum + line.amount : sum), 0)

export interface AccountSums {
  /** Prepaid and unused; minor units. */
  prepaid: number
  /** Issued and unpaid. */
  receivable: number
}

/** Anyone who spends from the balance meanwhile holds the subscription's lock. */
export async function readSums(
  db: Db,
  workspaceId: string,
  currency: string,
): Promise<AccountSums> {
  const { balance = 0, receivable = 0 } = await store.sumsOf(db, workspaceId, currency)
  return { prepaid: balance === 0 ? 0 : -balance, receivable }
}
