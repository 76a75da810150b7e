/** The indexes that a list uses: explains its actual statements under the role for requests. */
import type pg from 'pg'
import { createKeyring } from '../../src/platform/access/keyring.ts'
import { variables } from '../../src/platform/config/variables.ts'
import { connectDatabase, type Statement, unnamed } from '../../src/platform/database/connect.ts'
import { listDevices } from '../../src/features/devices/registry/device.ts'

interface PlanNode {
  'Node Type': string
  'Index Name'?: string
  'Relation Name'?: string
  Plans?: PlanNode[]
}

/** `Index Scan devices_pkey`, or what else reads a table. */
function readersOf(node: PlanNode): string[] {
  const { 'Node Type': type, 'Index Name': index, 'Relation Name': table, Plans = [] } = node
  const own = index ?? (table === undefined ? undefined : `${type} ${table}`)
  return [...(own === undefined ? [] : [own]), ...Plans.flatMap(readersOf)]
}

export interface Plans {
  /** The indexes that the list with this filter reads, each once. */
  of(filter: string): Promise<string>
  close(): Promise<void>
}

export function openPlans(
  connection: pg.PoolConfig,
  masterKey: Buffer,
  workspaceId: string,
): Plans {
  const database = connectDatabase({
    connection,
    poolSize: 2,
    prepared: false,
    statementTimeoutMs: 60_000,
    acquireTimeoutMs: 10_000,
    requestRole: variables.databaseRole.fallback,
  })
  const { db } = database.within(workspaceId)
  const keyring = createKeyring(masterKey)
  return {
    async of(filter) {
      const readers = new Set<string>()
      const explaining = {
        ...db,
        async query(statement: Statement, values: readonly unknown[] = []) {
          const explain = unnamed(`EXPLAIN (FORMAT JSON) ${statement.text}`)
          const rows = await db.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(explain, values)
          for (const { 'QUERY PLAN': plans } of rows) {
            for (const { Plan } of plans) readersOf(Plan).forEach((name) => readers.add(name))
          }
          return db.query(statement, values)
        },
      }
      const context = { db: explaining, points: explaining, keyring, workspaceId }
      await listDevices(context as never, { filter, limit: 50 })
      return [...readers].join(', ')
    },
    close: () => database.close(),
  }
}
