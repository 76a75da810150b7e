/**
 * Migration files: numbered SQL files, each with the checksum by which the database recognizes it
 * later.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Migration = {
  number: number
  /** The part of the file name after the number, without `.sql`. */
  name: string
  file: string
  sql: string
  /** SHA-256 in hex of the statements and marks, with \n line ends. */
  statements: string
  /**
   * The one that a database records. A file of `recorded.json` has the checksum of its first text,
   * comments included, because databases have recorded that one.
   */
  checksum: string
  /** False: statements run one by one, outside a transaction (`-- no-transaction`). */
  transactional: boolean
  /** True: a build without this migration can still use the database (`-- compatible`). */
  compatible: boolean
}

/** By file: the checksum of its statements, and the one that databases have recorded for it. */
type RecordedChecksums = Readonly<Record<string, { statements: string; recorded: string }>>

const RECORDED = 'recorded.json'

const MARKS = ['no-transaction', 'compatible'] as const

const fileName = /^(\d{4})-([a-z0-9][a-z0-9-]*)\.sql$/

/** Reads all migrations of a folder, in order. Throws for an invalid name or number. */
export async function readMigrations(folder: string | URL): Promise<Migration[]> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder
  const entries = await readdir(path)
  const recorded = entries.includes(RECORDED)
    ? (JSON.parse(await readFile(join(path, RECORDED), 'utf8')) as RecordedChecksums)
    : {}
  const names = entries.filter((name) => name.endsWith('.sql')).sort()
  const migrations: Migration[] = []
  for (const file of names) {
    const parts = fileName.exec(file)
    if (!parts) {
      throw new Error(`The migration ${file} must be named NNNN-name.sql, such as 0012-alerts.sql.`)
    }
    const before = migrations.at(-1)
    const number = Number(parts[1])
    if (before?.number === number) {
      throw new Error(`The migrations ${before.file} and ${file} have the same number.`)
    }
    const described = describe(await readFile(join(path, file), 'utf8'))
    const first = recorded[file]
    const { statements } = described
    const checksum = first?.statements === statements ? first.recorded : statements
    migrations.push({ number, name: parts[2] ?? '', file, ...described, checksum })
  }
  return migrations
}

function describe(text: string): Omit<Migration, 'number' | 'name' | 'file' | 'checksum'> {
  // A checkout may only change line ends.
  const sql = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const lines = sql.split('\n')
  const end = lines.findIndex((line) => !line.startsWith('--'))
  const leading = (end < 0 ? lines : lines.slice(0, end)).map((line) => line.slice(2).trim())
  const marks = MARKS.filter((mark) => leading.includes(mark))
  const code = lines.filter((line) => !line.trimStart().startsWith('--'))
  return {
    sql,
    statements: createHash('sha256')
      .update([...marks, ...code].join('\n'))
      .digest('hex'),
    transactional: !marks.includes('no-transaction'),
    compatible: marks.includes('compatible'),
  }
}
