/**
 * Registering many devices in one NDJSON stream.
 *
 * The limit is the same rows, written by the service's own set-based statement from arrays that
 * were made beforehand, one statement after the other on one connection, in larger steps than the
 * service takes: what Postgres on this machine can insert with all the indexes and references that
 * these tables have. Minting and sealing every row's secrets is between the two.
 */
import type { RegisteringProgram } from './programs/registering.ts'
import type { RowLoadProgram } from './programs/row-load.ts'
import type { Bench } from './support/comparison.ts'

/** About as many as are written in a second. */
const ROWS_PER_SECOND = 15_000
const LEAST_ROWS = 2_000
/** Rows of one statement of the limit. */
const BATCH = 2_000

const rowsOf = (seconds: number): number =>
  Math.max(LEAST_ROWS, Math.round(seconds * ROWS_PER_SECOND))

export const bulk: Bench = {
  name: 'bulk',
  async prepare(stage) {
    const database = await stage.newDatabase()
    const { provisionKey: key, templateId } = database.workspace
    const { ports, settle } = await stage.startService(database)
    const load = stage.start<RowLoadProgram>('bench/programs/row-load.ts')
    const bare = await stage.newDatabase()
    const registering = stage.start<RegisteringProgram>('bench/programs/registering.ts')
    const { connection, workspace } = bare
    const { masterKey } = stage
    await registering.call('open', { connection, masterKey, workspace, clients: 1 })
    return [
      {
        name: 'register devices in a stream',
        unit: 'devices',
        against: 'the same rows as raw set-based statements',
        aim: 0.6,
        settle,
        ours: (seconds) =>
          load.call('run', { port: ports.http, key, templateId, rows: rowsOf(seconds) }),
        limit: (seconds) => registering.call('bulk', { rows: rowsOf(seconds), batch: BATCH }),
      },
    ]
  },
}
