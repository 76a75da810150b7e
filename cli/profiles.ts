/**
 * Profiles: a service, a workspace and how to sign in there, in a file that only its owner can
 * read. Processes that run at the same time share it.
 */
import {
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionTokens } from '../sdk/session.ts'
import { CommandFailure, exitCodes } from './failure.ts'

export interface Profile {
  /** Scheme and authority of the service. */
  url: string
  /** Slug or id of the workspace that commands use. */
  workspace?: string
  /** The address of the account that has signed in. */
  email?: string
  session?: SessionTokens
  apiKey?: string
  /** The session of `mooring claims`, which acts as a phone. */
  phone?: SessionTokens
}

interface Stored {
  current: string
  profiles: Record<string, Profile>
}

const LOCK_WAIT_MS = 15_000
const STALE_LOCK_MS = 30_000

export const profilesFile = (): string => {
  const { MOORING_CONFIG: given, XDG_CONFIG_HOME: xdg } = process.env
  return given || join(xdg || join(homedir(), '.config'), 'mooring', 'profiles.json')
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

export function readProfiles(): Stored {
  const path = profilesFile()
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Stored
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { current: 'default', profiles: {} }
    if (!(error instanceof SyntaxError)) throw error
    throw new CommandFailure(`${path} is no valid JSON. Correct or delete it.`, exitCodes.usage)
  }
}

/** Replaces the file in one step, so that a reader never sees half of it. */
function writeProfiles(stored: Stored): void {
  const path = profilesFile()
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}.new`
  writeFileSync(temporary, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, path)
}

function tryLock(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  // Left by a process that was killed.
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  if (age > STALE_LOCK_MS) rmSync(path, { force: true })
  return false
}

/** Runs `work` while no other process does so for these profiles. */
export async function withLock<T>(work: () => Promise<T>): Promise<T> {
  const path = `${profilesFile()}.lock`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const deadline = Date.now() + LOCK_WAIT_MS
  while (!tryLock(path)) {
    if (Date.now() > deadline) throw new CommandFailure(`Another process keeps ${path}.`)
    await sleep(50)
  }
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

/** Changes the stored profiles. Call it in `withLock`. */
export function changeProfiles(change: (stored: Stored) => void): void {
  const stored = readProfiles()
  change(stored)
  writeProfiles(stored)
}

/** Stores members of one profile. Call it in `withLock`. */
export const storeProfile = (name: string, members: Partial<Profile>): void =>
  changeProfiles((stored) => {
    const before = stored.profiles[name] ?? { url: '' }
    stored.profiles[name] = { ...before, ...members }
  })
