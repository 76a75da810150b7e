/** The interface for running SQL on any kind of connection. */
import type { Statement } from './query.ts'

export interface Db {
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
  /**
   * Runs `work` in a transaction, or in the one already open. Inside, only `trx` may be used: the
   * pool would use a second connection, and deadlock when transactions hold all of them.
   */
  transaction<T>(work: (trx: Transaction) => Promise<T>): Promise<T>
  /** Runs `effect` once everything written through this `Db` is committed; not after a rollback. */
  afterCommit(effect: () => void): void
}

export interface Transaction extends Db {
  readonly inTransaction: true
}
