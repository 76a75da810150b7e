/**
 * The database of an earlier release: its migrations, the rows that it left behind, and the tasks
 * that it had not run yet. The rows are in `test/fixtures/release-….json`, together with the
 * credentials that it gave out.
 */
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { migrate } from '../../src/platform/database/migrate.ts'
import { migrateQueue } from '../../src/platform/jobs/queue.ts'
import { emptyDatabaseUrl } from './database.ts'
import { ROOT } from './sources.ts'

interface Task {
  name: string
  payload: unknown
  key: string | null
  queue: string | null
}

export interface OldRelease {
  /** When the rows were taken. */
  takenAt: string
  /** Base64. */
  masterKey: string
  /** Rows by table, in an order in which they can be inserted. */
  tables: Record<string, Record<string, unknown>[]>
  /** Last values of sequences. */
  sequences?: Record<string, number>
  tasks?: Task[]
}

export const readRelease = async <R extends OldRelease>(version: string): Promise<R> =>
  JSON.parse(await readFile(join(ROOT, `test/fixtures/release-${version}.json`), 'utf8')) as R

/** The migrations that a release had, by `migrations/released.json`. */
async function migrationsUntil(t: Pick<TestContext, 'after'>, version: string): Promise<string> {
  const text = await readFile(join(ROOT, 'migrations/released.json'), 'utf8')
  const releases = Object.entries(JSON.parse(text) as Record<string, Record<string, string>>)
  const last = releases.findIndex(([name]) => name === version)
  if (last < 0) throw new Error(`migrations/released.json has no ${version}`)
  const had = new Set(releases.slice(0, last + 1).flatMap(([, files]) => Object.keys(files)))
  const folder = await mkdtemp(join(tmpdir(), 'mooring-test-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const name of await readdir(join(ROOT, 'migrations'))) {
    // The checksums that the databases of its time have recorded.
    if (had.has(name) || name === 'recorded.json')
      await cp(join(ROOT, 'migrations', name), join(folder, name))
  }
  return folder
}

/** Columns whose time is part of a hash, or belongs to a month. */
const KEEPS_ITS_TIMES = /^(?:audit|usage|invoice|subscription)/

const DAY_MS = 86_400_000

/** Rows as JSON, as if the release had written them today: old rows are deleted some day. */
function youngRows(name: string, rows: unknown[], takenAt: string): string {
  const text = JSON.stringify(rows)
  const days = Math.floor((Date.now() - Date.parse(takenAt)) / DAY_MS)
  if (days === 0 || KEEPS_ITS_TIMES.test(name)) return text
  return text.replaceAll(/"(\d{4}-\d\d-\d\dT[\d:.]+)\+00:00"/g, (_all, at: string) =>
    JSON.stringify(new Date(Date.parse(`${at}Z`) + days * DAY_MS)),
  )
}

/** Like a restored dump: without what triggers would add or compare. */
async function insertRows(client: pg.Client, { tables, takenAt, sequences = {} }: OldRelease) {
  const names = Object.keys(tables)
  // Rows that the migrations have inserted are included, as the release has changed them.
  for (const name of names.toReversed()) await client.query(`DELETE FROM ${name}`)
  for (const [name, rows] of Object.entries(tables)) {
    const [first] = rows
    if (first === undefined) continue
    const columns = Object.keys(first).map((column) => pg.escapeIdentifier(column))
    await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
    await client.query(
      `INSERT INTO ${name} (${columns.join()}) OVERRIDING SYSTEM VALUE
       SELECT ${columns.join()} FROM json_populate_recordset(NULL::${name}, $1)`,
      [youngRows(name, rows, takenAt)],
    )
    await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
  }
  for (const [name, last] of Object.entries(sequences)) {
    await client.query('SELECT setval($1::regclass, $2)', [name, last])
  }
}

async function enqueue(client: pg.Client, { name, payload, key, queue }: Task): Promise<void> {
  await client.query(
    `SELECT graphile_worker.add_job($1, payload := $2, queue_name := $3, job_key := $4)`,
    [name, JSON.stringify(payload), queue, key],
  )
}

/** The DATABASE_URL of a database as the release has left it. */
export async function oldDatabase(
  t: Pick<TestContext, 'after'>,
  version: string,
  release: OldRelease,
): Promise<string> {
  const url = await emptyDatabaseUrl(t)
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(url)
    await client.connect()
    return client
  }
  await migrate(connect, await migrationsUntil(t, version), () => {})
  const { tasks = [] } = release
  if (tasks.length > 0) await migrateQueue({ connectionString: url })
  const client = await connect()
  try {
    await insertRows(client, release)
    for (const task of tasks) await enqueue(client, task)
  } finally {
    await client.end()
  }
  return url
}
