/** A `Transaction` on a connection of its own, for work that no pool is made for. */
import type { Client } from 'pg'
import type { Transaction } from './db.ts'
import { run } from './query.ts'

/** @param client in an open transaction, which its owner commits */
export function transactionOn(client: Client): Transaction {
  const trx: Transaction = {
    inTransaction: true,
    query: (statement, values) => run(client, false, statement, values),
    transaction: (work) => work(trx),
    // The caller commits, and knows what depends on it.
    afterCommit: () => {
      throw new Error('effects after a commit are not supported here')
    },
  }
  return trx
}
