/**
 * A primary and a streaming standby, with synchronous replication, of the Postgres that the service
 * embeds. Each can be killed: the standby is promoted, or the primary continues without it. Then a
 * new standby is made from the primary, as `pg_basebackup` does it (PostgreSQL documentation,
 * 25.3.4).
 */
import { randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { createCluster, superuser } from '../../src/platform/database/embedded-cluster.ts'
import {
  chooseIdentity,
  handOver,
  type Identity,
} from '../../src/platform/database/embedded-identity.ts'
import { startServer, stopServer } from '../../src/platform/database/embedded-server.ts'
import type { SupervisedProcess } from '../../src/platform/database/supervised-process.ts'
import { freePorts } from '../../test/adapters/broker/free-ports.ts'
import { serverProcesses } from '../../test/support/embedded.ts'
import { until } from '../../test/support/until.ts'

const SERVICE = 'mooring'
const REPLICATION = 'replication'
const STANDBY = 'standby'

/** All of an installation that must not lose what it acknowledged; docs/scale.md lists them. */
const settings = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  shared_buffers: '64MB',
  wal_level: 'replica',
  max_wal_senders: '10',
  max_replication_slots: '10',
  hot_standby: 'on',
  wal_receiver_timeout: '5s',
}

/** Folders of which a standby gets only the folder. */
const EMPTY = new Set(
  'pg_wal pg_replslot pg_dynshmem pg_notify pg_serial pg_snapshots pg_stat_tmp pg_subtrans'.split(
    ' ',
  ),
)
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts', 'postgresql.auto.conf'])

interface Server {
  folder: string
  port: number
  process: SupervisedProcess
}

const ignoreMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error
}

/** Files may vanish meanwhile: their contents are in the log of the primary. */
async function copyFolder(from: string, to: string, isTop = true): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      if (isTop && EMPTY.has(entry.name)) await mkdir(target, { mode: 0o700 })
      else await copyFolder(source, target, false)
    } else if (entry.isFile() && !(isTop && LEFT_OUT.has(entry.name))) {
      await copyFile(source, target).catch(ignoreMissing)
    }
  }
}

/** Kills all processes of a server, as the end of its machine does. */
async function killServer({ folder, process: server }: Server): Promise<void> {
  for (const pid of await serverProcesses(folder)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended with its server.
    }
  }
  await server.exited
}

export class PostgresPair {
  readonly #folder: string
  readonly #identity: Identity
  readonly #ports: readonly [number, number]
  readonly #password = randomBytes(16).toString('hex')
  #primary!: Server
  #standby: Server | undefined
  #made = 0

  private constructor(folder: string, identity: Identity, ports: readonly [number, number]) {
    this.#folder = folder
    this.#identity = identity
    this.#ports = ports
  }

  static async start(folder: string): Promise<PostgresPair> {
    await mkdir(folder, { mode: 0o700 })
    const identity = await chooseIdentity({ dataDir: folder, folder: join(folder, 'none') })
    const [first = 0, second = 0] = await freePorts(2)
    const pair = new PostgresPair(folder, identity, [first, second])
    await pair.#begin()
    await pair.addStandby()
    return pair
  }

  /** Both hosts, of which the service uses the one that takes writes. */
  get url(): string {
    const hosts = this.#ports.map((port) => `127.0.0.1:${port}`).join(',')
    const options = 'sslmode=disable&target_session_attrs=read-write'
    return `postgres://${SERVICE}:${this.#password}@${hosts}/${SERVICE}?${options}`
  }

  get primaryPort(): number {
    return this.#primary.port
  }

  #connection(port: number): pg.ClientConfig {
    return { host: '127.0.0.1', port, password: this.#password, ssl: false }
  }

  /** Asks one of the servers as its administrator. */
  async #ask<Row extends object>(
    port: number,
    text: string,
    database = 'postgres',
  ): Promise<Row[]> {
    const client = new pg.Client({ ...this.#connection(port), user: superuser, database })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** Rows of the database of the service, read from the primary. */
  rows<Row extends object>(text: string): Promise<Row[]> {
    return this.#ask<Row>(this.#primary.port, text, SERVICE)
  }

  /** As the server says it. */
  async version(): Promise<string> {
    const [row] = await this.rows<{ version: string }>(
      "SELECT split_part(current_setting('server_version'), ' ', 1) AS version",
    )
    return row?.version ?? ''
  }

  async #run(folder: string, port: number): Promise<Server> {
    await handOver(folder, this.#identity)
    const output = openSync(join(this.#folder, 'postgres.log'), 'a', 0o600)
    const process = startServer({
      folder,
      identity: this.#identity,
      output,
      log: () => {},
      special: { ...settings, port: String(port) },
    })
    closeSync(output)
    await until('Postgres answers', () =>
      this.#ask(port, 'SELECT').then(
        () => true,
        () => false,
      ),
    )
    return { folder, port, process }
  }

  async #begin(): Promise<void> {
    const folder = join(this.#folder, 'server-0')
    const output = openSync(join(this.#folder, 'initdb.log'), 'a', 0o600)
    await createCluster(folder, this.#identity, output)
    closeSync(output)
    const access = (method: string): string =>
      `local all all trust\nhost all all 127.0.0.1/32 ${method}\n` +
      `host replication ${REPLICATION} 127.0.0.1/32 ${method}\n`
    const file = join(folder, 'pg_hba.conf')
    const [port] = this.#ports
    // The roles have no passwords yet.
    await writeFile(file, access('trust'))
    this.#primary = await this.#run(folder, port)
    const password = pg.escapeLiteral(this.#password)
    await this.#ask(
      port,
      `CREATE ROLE ${SERVICE} LOGIN CREATEROLE PASSWORD ${password};
       CREATE ROLE ${REPLICATION} LOGIN REPLICATION PASSWORD ${password};
       ALTER ROLE ${superuser} PASSWORD ${password}`,
    )
    await this.#ask(port, `CREATE DATABASE ${SERVICE} OWNER ${SERVICE}`)
    await writeFile(file, access('scram-sha-256'))
    await this.#ask(port, 'SELECT pg_reload_conf()')
  }

  /** Makes a standby from the primary, and from then on the primary waits for it at each commit. */
  async addStandby(): Promise<void> {
    this.#made += 1
    const { folder: source, port: primary } = this.#primary
    const slot = `standby_${this.#made}`
    const folder = join(this.#folder, `server-${this.#made}`)
    const port = this.#ports.find((each) => each !== primary) as number
    await this.#ask(primary, `SELECT pg_create_physical_replication_slot('${slot}', true)`)
    await this.#copy(source, folder)
    const server =
      `host=127.0.0.1 port=${primary} user=${REPLICATION} password=${this.#password} ` +
      `application_name=${STANDBY} sslmode=disable connect_timeout=2`
    const lines = `primary_conninfo = '${server}'\nprimary_slot_name = '${slot}'\n`
    await writeFile(join(folder, 'postgresql.auto.conf'), lines, { mode: 0o600 })
    await writeFile(join(folder, 'standby.signal'), '', { mode: 0o600 })
    this.#standby = await this.#run(folder, port)
    await this.#ask(primary, `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`)
    await this.#ask(primary, 'SELECT pg_reload_conf()')
    await until('the standby is synchronous', async () => {
      const rows = await this.#ask<{ state: string }>(
        primary,
        `SELECT sync_state AS state FROM pg_stat_replication WHERE application_name = '${STANDBY}'`,
      )
      return rows[0]?.state === 'sync'
    })
  }

  async #copy(source: string, folder: string): Promise<void> {
    const { port } = this.#primary
    const client = new pg.Client({
      ...this.#connection(port),
      user: superuser,
      database: 'postgres',
    })
    await client.connect()
    try {
      await client.query("SELECT pg_backup_start('standby', true)")
      await copyFolder(source, folder)
      await mkdir(join(folder, 'pg_wal', 'archive_status'), { mode: 0o700 })
      await chmod(folder, 0o700)
      const { rows } = await client.query<{ labelfile: string }>(
        'SELECT labelfile FROM pg_backup_stop(false)',
      )
      const label = rows[0]?.labelfile ?? ''
      await writeFile(join(folder, 'backup_label'), label, { mode: 0o600 })
    } finally {
      await client.end()
    }
  }

  killPrimary(): Promise<void> {
    return killServer(this.#primary)
  }

  /** From then on every commit waits, until the primary continues alone or has a standby again. */
  async killStandby(): Promise<void> {
    await killServer(this.#present())
  }

  /** Commits no longer wait for the standby, and what the primary keeps for it is let go. */
  async continueAlone(): Promise<void> {
    const { folder } = this.#present()
    const { port } = this.#primary
    await this.#ask(port, "ALTER SYSTEM SET synchronous_standby_names = ''")
    await this.#ask(port, 'SELECT pg_reload_conf()')
    await until('the primary keeps nothing for the standby', () =>
      this.#ask(port, `SELECT pg_drop_replication_slot('standby_${this.#made}')`).then(
        () => true,
        () => false,
      ),
    )
    this.#standby = undefined
    await rm(folder, { recursive: true, force: true })
  }

  #present(): Server {
    if (this.#standby === undefined) throw new Error('there is no standby')
    return this.#standby
  }

  /** Makes the standby the primary. The old one does not come back: it may never again. */
  async promote(): Promise<void> {
    const standby = this.#present()
    const { folder } = this.#primary
    await this.#ask(standby.port, 'SELECT pg_promote(true, 60)')
    this.#primary = standby
    this.#standby = undefined
    await rm(folder, { recursive: true, force: true })
  }

  async stop(): Promise<void> {
    const all = [this.#standby, this.#primary].filter((each) => each !== undefined)
    await Promise.all(all.map((each) => stopServer(each.process)))
  }
}
