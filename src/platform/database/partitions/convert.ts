/**
 * Partitions tables by hash of their workspace, with all that belongs to them, in one transaction:
 * it is done completely or not at all. See docs/decisions/0107-partitions.md.
 */
import { type Client, escapeIdentifier as quoted } from 'pg'
import { inTransaction } from '../primary-client.ts'
import { readReferences, readTables, type Reference, type TableDefinition } from './definitions.ts'

/**
 * The large tables whose guarantees all hold within a workspace. Tests run the service on them; of
 * other tables nothing is known.
 */
export const PARTITIONABLE = [
  'audit_log',
  'connection_attempts',
  'device_acls',
  'device_commands',
  'device_config_reports',
  'device_configs',
  'device_group_members',
  'device_labels',
  'device_presence',
  'device_states',
  'devices',
  'events',
  'job_items',
  'registration_answers',
  'rotation_campaign_devices',
]

export const MAX_PARTITIONS = 256

/** Nothing was changed; the message says why. */
export class PartitionRefused extends Error {
  override name = 'PartitionRefused'
}

export interface PartitionOptions {
  tables: readonly string[]
  partitions: number
  log: (line: string) => void
}

export interface PartitionPlan {
  tables: TableDefinition[]
  /** Tables that are partitioned already, and stay as they are. */
  done: string[]
  /** Everything that is executed, in this order, between BEGIN and COMMIT. */
  statements: string[]
}

/** The end of a partition's name, and of the names of its indexes. */
const suffixOf = (at: number): string => `_p${String(at).padStart(3, '0')}`

const NEW = '_new'

const fill = (create: string, name: string, table: string): string =>
  create.replace('%I', () => quoted(name)).replace('%I', () => quoted(table))

/** A table with the rows of the old one, in its place; without indexes and constraints yet. */
function* replace(table: TableDefinition, partitions: number): Generator<string> {
  const { name, columns, storage } = table
  const made = quoted(`${name}${NEW}`)
  yield `CREATE TABLE ${made} (LIKE ${quoted(name)} INCLUDING ALL EXCLUDING INDEXES)
    PARTITION BY HASH (workspace_id)`
  for (let at = 0; at < partitions; at += 1) {
    yield `CREATE TABLE ${quoted(name + suffixOf(at))} PARTITION OF ${made}
      FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${at})` +
      (storage === null || storage === '' ? '' : ` WITH (${storage})`)
  }
  const list = columns.join(', ')
  yield `INSERT INTO ${made} (${list}) SELECT ${list} FROM ${quoted(name)}`
  // Compared before the old rows are gone.
  yield `DO $$ BEGIN
    IF (SELECT count(*) FROM ${made}) <> (SELECT count(*) FROM ${quoted(name)}) THEN
      RAISE EXCEPTION 'the rows of ${name} were not all copied';
    END IF; END $$`
  yield `DROP TABLE ${quoted(name)}`
  yield `ALTER TABLE ${made} RENAME TO ${quoted(name)}`
}

/**
 * Made on each partition first, where its name ends as the partition's does: an error of a
 * partition names it.
 */
function* index(table: TableDefinition, partitions: number): Generator<string> {
  const { name } = table
  for (const { name: index, create, constraint } of table.indexes) {
    for (let at = 0; at < partitions; at += 1) {
      const [own, part] = [index + suffixOf(at), name + suffixOf(at)]
      yield constraint === null
        ? fill(create, own, part)
        : `ALTER TABLE ${quoted(part)} ADD CONSTRAINT ${quoted(own)} ${constraint}`
    }
    yield constraint === null
      ? fill(create, index, name)
      : `ALTER TABLE ${quoted(name)} ADD CONSTRAINT ${quoted(index)} ${constraint}`
  }
}

function statementsOf(
  tables: readonly TableDefinition[],
  references: readonly Reference[],
  partitions: number,
): string[] {
  return [
    ...references.map(({ table, name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`),
    ...tables.flatMap((table) => [...replace(table, partitions)]),
    ...tables.flatMap((table) => [...index(table, partitions)]),
    ...references.map(
      ({ table, name, definition }) => `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`,
    ),
    ...tables.flatMap(({ others }) => others),
  ]
}

/** @throws PartitionRefused with everything that stands in the way */
export async function planPartitions(
  client: Client,
  { tables: names, partitions }: Omit<PartitionOptions, 'log'>,
): Promise<PartitionPlan> {
  const found = await readTables(client, names)
  const problems = names.flatMap((name) => {
    const table = found.find((each) => each.name === name)
    if (table === undefined) return [`${name}: there is no such table`]
    if (table.isPartitioned) return []
    const unknown = PARTITIONABLE.includes(name) ? [] : ['the service is not tested with it']
    return [...table.problems, ...unknown].map((problem) => `${name}: ${problem}`)
  })
  if (problems.length > 0) throw new PartitionRefused(problems.join('\n'))
  const tables = found.filter(({ isPartitioned }) => !isPartitioned)
  const references = await readReferences(
    client,
    tables.map(({ name }) => name),
  )
  return {
    tables,
    done: found.filter(({ isPartitioned }) => isPartitioned).map(({ name }) => name),
    statements: statementsOf(tables, references, partitions),
  }
}

/** How long it waits until nobody uses the tables; later users wait behind it. */
const LOCK_WAIT = '10s'

/**
 * Converts the tables, which nobody can use meanwhile. An interruption leaves them as they were.
 * @returns what was done
 * @throws PartitionRefused
 */
export async function partitionTables(
  client: Client,
  options: PartitionOptions,
): Promise<PartitionPlan> {
  const plan = await inTransaction(client, async () => {
    await client.query(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '${LOCK_WAIT}';
      SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL row_security = off`)
    // The definitions are read under the lock, so that nobody changes them meanwhile.
    const { tables: before } = await planPartitions(client, options)
    if (before.length > 0) {
      const list = before.map(({ name }) => quoted(name)).join(', ')
      await client.query(`LOCK TABLE ${list} IN ACCESS EXCLUSIVE MODE`)
    }
    const found = await planPartitions(client, options)
    for (const statement of found.statements) {
      const copies = /^INSERT INTO "(\w+?)(?:_new)?"/.exec(statement)?.[1]
      if (copies !== undefined) options.log(`copying the rows of ${copies}`)
      await client.query(statement)
    }
    return found
  })
  // The planner knows nothing of new tables.
  for (const { name } of plan.tables) await client.query(`ANALYZE ${quoted(name)}`)
  return plan
}
