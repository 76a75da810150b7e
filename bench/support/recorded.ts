/**
 * Captures what a store would send to Postgres, so that the limit runs the same SQL without the
 * service.
 */
import type pg from 'pg'
import type { Db, Statement } from '../../src/platform/database/connect.ts'

export type RecordedQuery = pg.QueryConfig<unknown[]> & { values: unknown[] }

/** The one query that `use` makes. Its response is empty, so `use` must bear that. */
export async function recorded(use: (db: Db) => Promise<unknown>): Promise<RecordedQuery> {
  const queries: RecordedQuery[] = []
  const db: Db = {
    query: async (statement: Statement, values: readonly unknown[] = []) => {
      const { name, text } = statement
      queries.push({ text, values: [...values], ...(name !== undefined && { name }) })
      return []
    },
    transaction: () => Promise.reject(new Error('a recorded query is a single one')),
    afterCommit: () => {},
  }
  await use(db)
  const [query, ...others] = queries
  if (query === undefined || others.length > 0) throw new Error('not exactly one query was made')
  return query
}
