/**
 * The contents of a backup file: a tar archive of `backup.json`, the rows of each table in parts
 * (gzip of the text format of COPY), and a list of all with their hashes, which has its own hash in
 * its name. It comes last, so a backup without it is incomplete.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { AppliedMigration } from '../database/migration-plan.ts'
import { BackupRefused, readTar, type TarFile, tarEnd, tarEntry } from './tar.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

const FORMAT = 'mooring-backup'
const FORMAT_VERSION = 1
const HEADER = 'backup.json'
const CONTENTS = /^contents\.([0-9a-f]{64})\.json$/

export interface BackedUpTable {
  /** As in SQL, quoted if necessary; tables of the background queue with their schema. */
  name: string
  /** As in SQL. Computed columns are not among them. */
  columns: string[]
}

/** The facts known when a backup begins. */
export interface BackupHeader {
  format: string
  format_version: number
  /** The version of the service that made it. */
  mooring: string
  started_at: string
  /** The version of Postgres, as `server_version`. */
  postgres: string
  /** Fingerprints of the master keys for its secrets; the keys themselves are not in it. */
  master_keys: string[]
  migrations: AppliedMigration[]
  tables: BackedUpTable[]
}

export interface BackupContents {
  finished_at: string
  files: { name: string; bytes: number; sha256: string }[]
  /** Rows of each table. */
  rows: Record<string, number>
  sequences: { name: string; last: string }[]
}

/** A piece of a backup, in the order in which they come. */
export type BackupPiece =
  | { kind: 'header'; header: BackupHeader }
  /** Rows in the text format of COPY; a row may end in the next piece of its table. */
  | { kind: 'rows'; table: string; text: Buffer }
  | { kind: 'contents'; contents: BackupContents }

const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`)

const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex')

const digest = ({ name, body }: TarFile): BackupContents['files'][number] => ({
  name,
  bytes: body.length,
  sha256: sha256(body),
})

/** The header of a backup that begins now. */
export const headerOf = (known: Omit<BackupHeader, 'format' | 'format_version'>): BackupHeader => ({
  format: FORMAT,
  format_version: FORMAT_VERSION,
  ...known,
})

const folderOf = (table: string): string => `tables/${table.replaceAll('"', '')}/`
const partName = (table: string, part: number): string =>
  `${folderOf(table)}${String(part).padStart(6, '0')}.copy.gz`

/** A piece to write; the writer itself lists the files. */
export type ToWrite =
  | Exclude<BackupPiece, { kind: 'contents' }>
  | { kind: 'contents'; contents: Omit<BackupContents, 'files' | 'finished_at'> }

/** The bytes of a backup with these pieces. @param now milliseconds since the epoch */
export async function* writeBackup(
  pieces: AsyncIterable<ToWrite>,
  now: () => number,
): AsyncGenerator<Buffer> {
  const files: BackupContents['files'] = []
  const parts = new Map<string, number>()
  const fileOf = async (piece: ToWrite): Promise<TarFile> => {
    if (piece.kind === 'header') return { name: HEADER, body: json(piece.header) }
    if (piece.kind === 'contents') {
      const finished_at = new Date(now()).toISOString()
      const body = json({ finished_at, files, ...piece.contents })
      return { name: `contents.${sha256(body)}.json`, body }
    }
    const part = (parts.get(piece.table) ?? 0) + 1
    parts.set(piece.table, part)
    return { name: partName(piece.table, part), body: await compress(piece.text) }
  }
  for await (const piece of pieces) {
    const file = await fileOf(piece)
    files.push(digest(file))
    yield tarEntry(file, now())
  }
  yield tarEnd
}

function parse({ name, body }: TarFile): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new BackupRefused(`The backup is damaged in ${name}.`, { cause: error })
  }
}

/** Until the list at the end has been compared, any text may have been changed. */
const areTables = (tables: unknown): tables is BackedUpTable[] =>
  Array.isArray(tables) &&
  tables.every(
    (table: Partial<BackedUpTable> | null) =>
      typeof table?.name === 'string' && Array.isArray(table.columns),
  )

function readHeader(file: TarFile): BackupHeader {
  const header = file.name === HEADER ? (parse(file) as BackupHeader) : undefined
  if (header?.format !== FORMAT) throw new BackupRefused('This is no backup of the service.')
  if (!areTables(header.tables)) throw new BackupRefused(`The backup is damaged in ${HEADER}.`)
  if (header.format_version === FORMAT_VERSION) return header
  throw new BackupRefused(
    `The backup has the format ${header.format_version}, which version ${header.mooring} has made; ` +
      `this one reads ${FORMAT_VERSION}. Restore it with that version.`,
  )
}

function readContents(file: TarFile): BackupContents {
  if (CONTENTS.exec(file.name)?.[1] === sha256(file.body)) return parse(file) as BackupContents
  throw new BackupRefused('The backup is damaged in the list at its end.')
}

/** Compares what was read with the list of what was written. */
function requireSame(contents: BackupContents, read: readonly BackupContents['files'][number][]) {
  for (const [at, { name, ...written }] of contents.files.entries()) {
    const found = read[at]
    if (found?.name === name && found.sha256 === written.sha256) continue
    throw new BackupRefused(`The backup is damaged in ${name}: it is not what was written.`)
  }
  if (read.length !== contents.files.length) {
    throw new BackupRefused(`The backup is damaged: it has more files than its list.`)
  }
}

async function rowsOf(file: TarFile, tables: readonly BackedUpTable[]): Promise<BackupPiece> {
  const table = tables.find(({ name }) => file.name.startsWith(folderOf(name)))
  if (table === undefined) {
    throw new BackupRefused(`The backup is damaged: ${file.name} is of no table.`)
  }
  const text = await decompress(file.body).catch((error: unknown) => {
    throw new BackupRefused(`The backup is damaged in ${file.name}.`, { cause: error })
  })
  return { kind: 'rows', table: table.name, text }
}

/**
 * Reads a backup. Its output is only known to be undamaged when it ends.
 * @throws BackupRefused if it is damaged, incomplete or something else
 */
export async function* readBackup(source: AsyncIterable<Uint8Array>): AsyncGenerator<BackupPiece> {
  const read: BackupContents['files'] = []
  let header: BackupHeader | undefined
  for await (const file of readTar(source)) {
    if (header === undefined) {
      header = readHeader(file)
      yield { kind: 'header', header }
    } else if (CONTENTS.test(file.name)) {
      const contents = readContents(file)
      requireSame(contents, read)
      return yield { kind: 'contents', contents }
    } else yield await rowsOf(file, header.tables)
    read.push(digest(file))
  }
  const last = read.at(-1)?.name ?? 'its beginning'
  throw new BackupRefused(`The backup is incomplete: it ends after ${last}.`)
}
