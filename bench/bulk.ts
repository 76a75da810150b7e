/**
 * Registers many devices in one NDJSON stream.
 *
 * The limits are set-based statements from prebuilt arrays, one after another on one connection, in
 * larger batches than the service uses: of a lean schema, which is the least that Postgres on this
 * machine could do, and the service's own, with all indexes and references of its tables. The lean
 * statement is also measured behind Fastify, in the batches of the service.
 */
import type { BareRegistrationProgram } from './programs/bare-registration.ts'
import type { RegisteringProgram } from './programs/registering.ts'
import type { RowLoadProgram } from './programs/row-load.ts'
import type { Bench } from './support/comparison.ts'

/** About as many as can be written in a second. */
const ROWS_PER_SECOND = 15_000
const LEAST_ROWS = 2_000
/** Rows per statement of the limit. */
const BATCH = 2_000

const rowsOf = (seconds: number): number =>
  Math.max(LEAST_ROWS, Math.round(seconds * ROWS_PER_SECOND))

export const bulk: Bench = {
  name: 'bulk',
  topic: 'Registrations',
  async prepare(fixture) {
    const database = await fixture.newDatabase()
    const { provisionKey: key, templateId } = database.workspace
    const { ports, settle } = await fixture.startService(database)
    const load = fixture.start<RowLoadProgram>('bench/programs/row-load.ts')
    const bare = await fixture.newDatabase()
    const registering = fixture.start<RegisteringProgram>('bench/programs/registering.ts')
    const { connection, workspace } = bare
    const { masterKey } = fixture
    await registering.call('open', { connection, masterKey, workspace, clients: 1 })
    const behindHttp = fixture.start<BareRegistrationProgram>('bench/programs/bare-registration.ts')
    const barePort = await behindHttp.call('start', {
      connection,
      clients: 1,
      workspaceId: workspace.uuid,
      templateId: workspace.templateUuid,
    })
    const send = (port: number) => (seconds: number) =>
      load.call('run', { port, key, templateId, rows: rowsOf(seconds) })
    const raw = (isLean: boolean) => (seconds: number) =>
      registering.call('bulk', { rows: rowsOf(seconds), batch: BATCH, isLean })
    const limits = [
      { against: 'a lean bulk statement', aim: 0.35, limit: raw(true) },
      { against: 'the lean statement behind Fastify', aim: 0.25, limit: send(barePort) },
      { against: 'the same rows as raw set-based statements', aim: 0.6, limit: raw(false) },
    ]
    const common = { name: 'register devices in a stream', unit: 'devices', settle }
    return limits.map((limit) => ({ ...common, ...limit, ours: send(ports.http) }))
  },
}
