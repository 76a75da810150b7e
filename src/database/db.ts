/** What everything that runs SQL is given, whichever connection is behind it. */
import type { Statement } from './query.ts'

export interface Db {
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
  /**
   * Runs `work` in a transaction, or in the one that is open already. Inside it only the given
   * `trx` may be used: the pool would hand out a second connection, and with all of them in
   * transactions wait for ever.
   */
  transaction<T>(work: (trx: Transaction) => Promise<T>): Promise<T>
  /** Runs `effect` once what was written through this `Db` is durable. Not run on rollback. */
  afterCommit(effect: () => void): void
}

export interface Transaction extends Db {
  readonly inTransaction: true
}
