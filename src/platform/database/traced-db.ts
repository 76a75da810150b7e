/** A `Db` whose statements and commits are spans of the request that runs them, if it is traced. */
import { activeSpan, type SpanStart, traced } from '../trace/span.ts'
import type { Database } from './connect.ts'
import type { Db, Transaction } from './db.ts'
import type { PointReader } from './points.ts'

const spanOf = (name: string): SpanStart => ({
  name,
  kind: 'client',
  attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name },
})

const tracedReader = (reader: PointReader): PointReader => ({
  query: (statement, values) =>
    traced(spanOf(statement.name ?? 'composed statement'), () => reader.query(statement, values)),
})

function tracedTransaction(trx: Transaction): Transaction {
  const own: Transaction = {
    ...trx,
    ...tracedReader(trx),
    transaction: (work) => work(own),
  }
  return own
}

/** The commit is a span of its own, from the end of the work to the database's confirmation. */
const tracedDb = (db: Db): Db => ({
  ...tracedReader(db),
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

export const tracedDatabase = (database: Database): Database => ({
  ...database,
  ...tracedDb(database),
  autonomousDb: tracedDb(database.autonomousDb),
  points: tracedReader(database.points),
  within(workspaceId) {
    const { db, points } = database.within(workspaceId)
    return { db: tracedDb(db), points: tracedReader(points) }
  },
})
