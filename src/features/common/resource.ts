/** Reads and locks one resource of a workspace by its id. */
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/connect.ts'
import type { TypedStatement } from '../../platform/database/sql.ts'
import { found, type NotFound, requireRevision } from '../../platform/errors/errors.ts'

type ById<Row> = TypedStatement<{ workspaceId: string; id: string }, Row>

/** The function that reads the resource, or throws `missing`. */
export const readerOf =
  <Row>(statement: ById<Row>, missing: NotFound) =>
  async (db: Db, { workspaceId }: { workspaceId: string }, id: string): Promise<Row> =>
    found(await statement.first(db, { workspaceId, id }), missing)

/** The same for a change: if it is not of a revision in `If-Match`, `precondition_failed`. */
export function lockerOf<Row extends { revision: number }>(
  statement: ById<Row>,
  missing: NotFound,
) {
  const read = readerOf(statement, missing)
  return async (
    trx: Db,
    context: Pick<Context, 'workspaceId' | 'request'>,
    id: string,
  ): Promise<Row> => {
    const row = await read(trx, context, id)
    requireRevision(row.revision, context.request.ifMatch)
    return row
  }
}
