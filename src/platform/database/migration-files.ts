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
  /** SHA-256 of the text with \n line ends, in hex. */
  checksum: string
  /** False: statements run one by one, outside a transaction (`-- no-transaction`). */
  transactional: boolean
  /** True: a build without this migration can still use the database (`-- compatible`). */
  compatible: boolean
}

const fileName = /^(\d{4})-([a-z0-9][a-z0-9-]*)\.sql$/

/** Reads all migrations of a folder, in order. Throws for an invalid name or number. */
export async function readMigrations(folder: string | URL): Promise<Migration[]> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder
  const names = (await readdir(path)).filter((name) => name.endsWith('.sql')).sort()
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
    migrations.push({
      number,
      name: parts[2] ?? '',
      file,
      ...describe(await readFile(join(path, file), 'utf8')),
    })
  }
  return migrations
}

function describe(text: string): Omit<Migration, 'number' | 'name' | 'file'> {
  // A checkout may only change line ends.
  const sql = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const directives = leadingComments(sql)
  return {
    sql,
    checksum: createHash('sha256').update(sql).digest('hex'),
    transactional: !directives.has('no-transaction'),
    compatible: directives.has('compatible'),
  }
}

function leadingComments(sql: string): Set<string> {
  const comments = new Set<string>()
  for (const line of sql.split('\n')) {
    if (!line.startsWith('--')) break
    comments.add(line.slice(2).trim())
  }
  return comments
}
