/**
 * A private Postgres for tests, with the schema of the service, and the folder that a run keeps its
 * files in.
 */
import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import pg from 'pg'
import { variables } from '../../src/platform/config/variables.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/database/embedded.ts'
import { migrate } from '../../src/platform/database/migrate.ts'
import { PARTITIONABLE, partitionTables } from '../../src/platform/database/partitions/convert.ts'
import { prepareRequestRole } from '../../src/platform/database/request-role.ts'
import { migrateQueue } from '../../src/platform/jobs/queue.ts'

const MEMORY_FOLDER = '/dev/shm'
const ENOUGH_MEMORY_BYTES = 3 * 2 ** 30

/**
 * Where the run keeps its files: in memory if there is plenty. Every test clones a database, and
 * on a disk the copies and their syncs take longer than the tests.
 */
export function temporaryFolder(): string {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= ENOUGH_MEMORY_BYTES ? MEMORY_FOLDER : tmpdir()
  } catch {
    return tmpdir()
  }
}

/**
 * A service has about twenty connections, and some tests start several services. Its data need not
 * outlive the machine, so nothing is spent on that; committed rows are visible to everybody as
 * ever.
 */
const settings = {
  max_connections: '400',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // Each clone ends with a checkpoint anyway.
  max_wal_size: '4GB',
  checkpoint_timeout: '1h',
}

/** Starts the server of a data folder, which is made if it is missing. */
export const startPrivateServer = (dataDir: string): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ dataDir, log: () => {}, settings })

/** Any tests can be run on partitioned tables: with so many partitions of each. */
const PARTITIONS = process.env.MOORING_TEST_PARTITIONS

async function partition(client: pg.Client, partitions: number): Promise<void> {
  try {
    await partitionTables(client, { tables: PARTITIONABLE, partitions, log: () => {} })
  } finally {
    await client.end()
  }
}

/** Makes an empty database one of the service. */
export async function prepare(connection: pg.ClientConfig): Promise<void> {
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(connection)
    await client.connect()
    return client
  }
  await migrate(connect, new URL('../../migrations/', import.meta.url), () => {})
  await migrateQueue(connection)
  if (PARTITIONS !== undefined) await partition(await connect(), Number(PARTITIONS))
  await prepareRequestRole(connect, variables.databaseRole.fallback)
}
