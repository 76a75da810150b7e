/**
 * The lock that lets only one service at a time use a data folder.
 *
 * It must vanish with its holder, even after kill -9, and acquiring it must be free of races. A
 * lock file with a process id is neither: ids are reused, and two starters can both find it stale.
 * A kernel lock is both, but Node has no flock(). The SQLite that ships with Node takes one,
 * though: an open exclusive transaction is a POSIX record lock on its file, released by the kernel
 * when the process ends. It also works between containers that share a volume, where process ids
 * are meaningless. The database stays empty; nothing is ever written to it.
 *
 * POSIX releases such a lock as soon as the process closes any descriptor of the file: nothing else
 * in the service may open it, not even to copy it.
 */
import {
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const lockFile = 'service.lock'
const holderFile = 'service.holder.json'
const sqliteBusy = 5
const sqliteFull = 13
/** A command that merely checks the lock acquires it for an instant. */
const MAX_CHECK_MS = 250

export type LockHolder = { pid: number; host: string; since: string }

/** The data folder is in use by another service; `holder` is known unless it has just started. */
export class DataFolderInUse extends Error {
  readonly holder: LockHolder | undefined

  constructor(dataDir: string, holder: LockHolder | undefined) {
    const who = holder
      ? `process ${holder.pid} on ${holder.host}, since ${holder.since}`
      : 'another process'
    super(
      `The data folder ${dataDir} is in use by ${who}. Only one service can use it at a time: ` +
        'stop that one first, or give this one another folder with MOORING_DATA_DIR. ' +
        'To run several services on the same data, set DATABASE_URL to a Postgres server.',
    )
    this.name = 'DataFolderInUse'
    this.holder = holder
  }
}

/** Acquires the lock of an existing folder immediately, or throws DataFolderInUse. */
export function lockDataFolder(dataDir: string): { release(): void } {
  const database = tryLock(dataDir, MAX_CHECK_MS)
  if (!database) throw new DataFolderInUse(dataDir, readHolder(dataDir))
  const holder: LockHolder = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  const holderPath = join(dataDir, holderFile)
  // Removed first, so that root and a plain user can alternate on one folder.
  rmSync(holderPath, { force: true })
  writeFileSync(holderPath, `${JSON.stringify(holder)}\n`, { mode: 0o600 })
  let held = true
  return {
    release: () => {
      if (!held) return
      held = false
      rmSync(holderPath, { force: true })
      database.close()
    },
  }
}

/** Whether a service currently holds the folder, if there is one. */
export function isDataFolderLocked(dataDir: string): boolean {
  if (!existsSync(join(dataDir, lockFile))) return false
  const database = tryLock(dataDir, 0)
  database?.close()
  return !database
}

function tryLock(dataDir: string, timeoutMs: number): DatabaseSync | undefined {
  const path = join(dataDir, lockFile)
  let database: DatabaseSync | undefined
  try {
    createPrivate(path, dataDir)
    database = new DatabaseSync(path)
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}; PRAGMA journal_mode = OFF`)
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) {
      return undefined
    }
    throw new Error(`The lock file ${path} can't be locked: ${whyNot(error)}`, { cause: error })
  }
}

function whyNot(error: unknown): string {
  const { code, errcode } = error as { code?: string; errcode?: number }
  if (code === 'EROFS') return 'the file system of the data folder is read-only.'
  if (code === 'ENOSPC' || errcode === sqliteFull) return 'the disk of the data folder is full.'
  return `${String(error)}. Does the data folder belong to another user?`
}

/**
 * SQLite would create the file world-readable, and each process that reads it can lock it. If root
 * creates it in another user's folder, it is given to that user, who can then start the service.
 */
function createPrivate(path: string, dataDir: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw error
  }
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(dataDir)
  chownSync(path, uid, gid)
}

function readHolder(dataDir: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, holderFile), 'utf8')) as LockHolder
  } catch {
    return undefined
  }
}
