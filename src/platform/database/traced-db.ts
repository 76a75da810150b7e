/** A `Db` whose statements and commits are spans of the request that runs them, if it is traced. */
import { activeSpan, type SpanStart, traced } from '../trace/span.ts'
import type { Database, Scope } from './connect.ts'
import type { Db, Transaction } from './db.ts'
import type { PointReader } from './points.ts'
import type { Statement } from './query.ts'

const spanOf = (name: string): SpanStart => ({
  name,
  kind: 'client',
  attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name },
})

const spanOfStatement = ({ name }: Statement): SpanStart => spanOf(name ?? 'composed statement')

const tracedReader = (reader: PointReader): PointReader => ({
  query: (statement, values) =>
    traced(spanOfStatement(statement), () => reader.query(statement, values)),
})

function tracedTransaction(trx: Transaction): Transaction {
  const own: Transaction = {
    ...trx,
    query: (statement, values) =>
      traced(spanOfStatement(statement), () => trx.query(statement, values)),
    transaction: (work) => work(own),
  }
  return own
}

/** The commit is a span of its own, from the end of the work to the database's confirmation. */
const tracedDb = (db: Db): Db => ({
  query: (statement, values) =>
    traced(spanOfStatement(statement), () => db.query(statement, values)),
  transaction: (work) =>
    traced(spanOf('transaction'), async () => {
      let commit: ReturnType<typeof activeSpan>
      try {
        return await db.transaction(async (trx) => {
          const result = await work(tracedTransaction(trx))
          commit = activeSpan()?.child(spanOf('COMMIT'))
          return result
        })
      } catch (error) {
        commit?.fail(error)
        throw error
      } finally {
        commit?.end()
      }
    }),
  afterCommit: (effect) => db.afterCommit(effect),
})

const tracedScope = ({ db, points }: Scope): Scope => ({
  db: tracedDb(db),
  points: tracedReader(points),
})

export const tracedDatabase = (database: Database): Database => ({
  ...database,
  ...tracedDb(database),
  autonomousDb: tracedDb(database.autonomousDb),
  points: tracedReader(database.points),
  within: (workspaceId) => tracedScope(database.within(workspaceId)),
})
