/**
 * The environment of a comparison: one real Postgres for all, separate databases for each, and the
 * programs that it starts. Everything is removed before the next comparison.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig, type PoolConfig } from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts'
import { variables } from '../../src/platform/config/variables.ts'
import { migrate } from '../../src/platform/database/migrate.ts'
import { prepareRequestRole } from '../../src/platform/database/request-role.ts'
import { migrateQueue } from '../../src/platform/jobs/queue.ts'
import type { ServiceProgram } from '../programs/service.ts'
import { createMeter, type Meter } from './meter.ts'
import { openSeeder, type SeededDevice, type SeededWorkspace, type Seeder } from './seed.ts'
import { type Methods, startWorker, type Worker } from './worker.ts'

/** A migrated database with a workspace in it, and so many devices that tables are not empty. */
export interface SeededDatabase {
  connection: PoolConfig
  seeder: Seeder
  workspace: SeededWorkspace
  devices: SeededDevice[]
}

export interface RunningService {
  pid: number
  ports: { http: number; operator: number; mqtt: number }
  /** Waits until it has done what its last requests left behind. */
  settle: () => Promise<void>
  /** Kills it, as a crash does. */
  kill: () => void
}

export interface Fixture {
  masterKey: Buffer
  newDatabase(devices?: number): Promise<SeededDatabase>
  /** Starts a program, by its path from the root of the project. */
  start<M extends Methods>(program: string): Worker<M>
  /**
   * Starts the whole service on a database.
   * @param options.isShared whether other processes use the database as well
   */
  startService(
    database: Pick<SeededDatabase, 'connection'>,
    environment?: Record<string, string>,
    options?: { isShared?: boolean },
  ): Promise<RunningService>
  /** The meter of all programs that were started on it. */
  meter: Meter
  /** Ends everything that was started on it. */
  clear(): Promise<void>
}

export interface Environment {
  /** As the server says it. */
  postgres: string
  newFixture(): Fixture
  close(): Promise<void>
}

const TEMPLATE = 'bench_template'
const DEVICES = 10_000

interface Server {
  connection: ClientConfig
  admin: Client
  pid: number
}

const walBytes = async (admin: Client): Promise<number> => {
  const text = `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes`
  return (await admin.query<{ bytes: number }>(text)).rows[0]?.bytes ?? 0
}

function createFixture({ connection: server, admin, pid }: Server, profiles?: string): Fixture {
  const masterKey = randomBytes(32)
  const workers: { pid: number; program: string; stop(): Promise<void> }[] = []
  const seeders: Seeder[] = []
  const databases: string[] = []
  const start = <M extends Methods>(program: string): Worker<M> => {
    const worker = startWorker<M>(program, profiles)
    workers.push({ pid: worker.pid, program, stop: () => worker.stop() })
    return worker
  }
  const meter = createMeter({
    programs: () => workers,
    postgresPid: pid,
    walBytes: () => walBytes(admin),
  })
  return {
    masterKey,
    meter,
    start,
    async newDatabase(count = DEVICES) {
      const name = `bench_${randomBytes(4).toString('hex')}`
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`)
      databases.push(name)
      const connection = { ...server, database: name }
      const seeder = openSeeder(connection, masterKey)
      seeders.push(seeder)
      const workspace = await seeder.workspace()
      const devices = await seeder.devices(workspace, count)
      return { connection, seeder, workspace, devices }
    },
    async startService({ connection }, environment = {}, { isShared = false } = {}) {
      const service = start<ServiceProgram>('bench/programs/service.ts')
      const options = { connection, masterKey, environment, isShared }
      const ports = await service.call('start', options)
      const { pid } = service
      const settle = () => service.call('settle', undefined)
      return { pid, ports, settle, kill: () => void process.kill(pid, 'SIGKILL') }
    },
    async clear() {
      await Promise.all(workers.map((worker) => worker.stop()))
      await Promise.all(seeders.map((seeder) => seeder.close()))
      for (const name of databases) await drop(admin, name)
    },
  }
}

/** An automatic vacuum there is not ended: it is waited for. */
async function drop(admin: Client, name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
      return
    } catch (error) {
      if (tries === 60) throw error
      await sleep(1_000)
    }
  }
}

/** The server's main process, as the first line of its file says. */
const postgresPid = async (dataDir: string): Promise<number> =>
  Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)

/**
 * Starts a Postgres with the settings that the service gives its own one.
 * @param profiles folder for CPU profiles of all programs that are started.
 */
export async function openEnvironment(profiles?: string): Promise<Environment> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} })
  const close = async (): Promise<void> => {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
  const { connection } = postgres
  const admin = new Client(connection)
  try {
    await admin.connect()
    await admin.query(`CREATE DATABASE ${TEMPLATE}`)
    const connect = async (): Promise<Client> => {
      const client = new Client({ ...connection, database: TEMPLATE })
      await client.connect()
      return client
    }
    await migrate(connect, new URL('../../migrations/', import.meta.url), () => {})
    await migrateQueue({ ...connection, database: TEMPLATE })
    await prepareRequestRole(connect, variables.databaseRole.fallback)
    const { rows } = await admin.query<{ version: string }>(
      `SELECT current_setting('server_version') AS version`,
    )
    const pid = await postgresPid(folder)
    return {
      postgres: rows[0]?.version ?? '',
      newFixture: () => createFixture({ connection, admin, pid }, profiles),
      async close() {
        await admin.end()
        await close()
      },
    }
  } catch (error) {
    await admin.end().catch(() => {})
    await close()
    throw error
  }
}
