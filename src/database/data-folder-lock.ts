// The lock that lets one service at a time use a data folder.
//
// It has to die with its holder, also after kill -9, and taking it has to be free of races: a lock
// file with a process id in it is neither (ids are reused, and two starters can both find it
// stale). A kernel lock is both, but Node offers no flock(). The SQLite that ships with Node does
// take one: an open exclusive transaction is a POSIX record lock on its file, dropped by the kernel
// when the process ends, whatever ended it. It also holds between containers that share a volume,
// where process ids mean nothing. The database stays empty; nothing is ever written into it.
//
// POSIX drops such a lock as soon as its process closes any descriptor of the file: nothing else in
// the service may open it, not even to copy it.
import {
  chownSync,
  closeSync,
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
/** A command that only looks whether the lock is held takes it for an instant. */
const lookTakesAtMost = 250

export type LockHolder = { pid: number; host: string; since: string }

export type DataFolderLock = { release(): void }

/** The data folder is in use by another service; `holder` is known unless it started just now. */
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

/** Takes the lock of an existing folder at once, or throws DataFolderInUse. */
export function lockDataFolder(dataDir: string): DataFolderLock {
  const database = tryLock(dataDir, lookTakesAtMost)
  if (!database) throw new DataFolderInUse(dataDir, readHolder(dataDir))
  const holder: LockHolder = {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
  }
  const holderPath = join(dataDir, holderFile)
  // Removing first lets root and a plain user follow each other on one folder.
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

/** Whether a service holds the folder at this moment. */
export function isDataFolderLocked(dataDir: string): boolean {
  const database = tryLock(dataDir, 0)
  database?.close()
  return !database
}

function tryLock(dataDir: string, patience: number): DatabaseSync | undefined {
  const path = join(dataDir, lockFile)
  let database: DatabaseSync | undefined
  try {
    createPrivate(path, dataDir)
    database = new DatabaseSync(path)
    database.exec(`PRAGMA busy_timeout = ${patience}; PRAGMA journal_mode = OFF`)
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) {
      return undefined
    }
    throw new Error(
      `The lock file ${path} can't be locked: ${String(error)}. Does the data folder belong to ` +
        'another user?',
      { cause: error },
    )
  }
}

// SQLite would make the file readable for all, and who can read it can block it. A file that root
// makes in somebody else's folder is made theirs, so that they can start the service later.
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
