/**
 * The database folder on disk: created completely or not at all, and free of processes of an
 * earlier run before a new server starts.
 */
import { execFile } from 'node:child_process'
import {
  chmod,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { postgresMajor } from './embedded-binaries.ts'
import { folderArgument, handOver, type Identity } from './embedded-identity.ts'
import { startSupervised } from './supervised-process.ts'

const run = promisify(execFile)
const unfinishedPrefix = 'postgres.new-'

/** The role that owns the cluster; the service connects as a role without its rights. */
export const superuser = 'postgres'

/** Whether the folder contains a cluster. Throws if it contains anything else. */
export async function hasCluster(folder: string): Promise<boolean> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (entries.length === 0) return false
  const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (version === postgresMajor) return true
  throw new Error(
    version
      ? `The database in ${folder} was made by Postgres ${version}; this build brings ` +
          `${postgresMajor}. Dump it with the old version and restore it into an empty folder.`
      : `${folder} is not a Postgres data folder, and it is not empty. Move it away.`,
  )
}

/**
 * Creates a cluster in a temporary folder that is renamed when complete, so that an interrupted
 * creation is never mistaken for a database; the next start deletes it.
 */
export async function createCluster(
  folder: string,
  identity: Identity,
  output: number,
): Promise<void> {
  const dataDir = dirname(folder)
  await removeUnfinished(dataDir)
  const unfinished = await mkdtemp(join(dataDir, unfinishedPrefix))
  await chmod(unfinished, 0o700)
  await handOver(unfinished, identity)
  const options = [
    `--username=${superuser}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // Access to the socket is controlled by the folder's mode, 0700.
    '--auth-local=trust',
    '--auth-host=reject',
    '--no-instructions',
  ]
  const initdb = startSupervised({
    command: [
      ...identity.prefix,
      join(identity.binaries.root, 'bin', 'initdb'),
      `--pgdata=${folderArgument(identity, unfinished)}`,
      ...options,
    ],
    folder: unfinished,
    output,
    identity: identity.ids,
  })
  const { code } = await initdb.exited
  if (code !== 0) throw new Error(`initdb ended with status ${code}`)
  await rename(unfinished, folder)
  await syncFolder(dataDir)
}

async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(unfinishedPrefix)) continue
    // A stopping initdb may still write; leftovers are removed by a later start.
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The process id in postmaster.pid, which survives a killed server. */
export async function postmasterPid(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  return pid > 0 ? pid : undefined
}

const patience = { interruptAfter: 500, quitAfter: 30_000, giveUpAfter: 60_000 }

/**
 * Waits until no Postgres of an earlier run uses the folder. Normally its watcher is stopping it;
 * if the watcher is dead too, the server is asked to stop, and finally killed.
 */
export async function waitForEarlierServer(
  folder: string,
  log: (line: string) => void,
  { interruptAfter, quitAfter, giveUpAfter } = patience,
): Promise<void> {
  const pid = await postmasterPid(folder)
  if (pid === undefined) return
  const started = Date.now()
  const done = new Set<string>()
  for (;;) {
    const running = await serversIn(folder, pid)
    if (running.length === 0) break
    const waited = Date.now() - started
    const once = (name: string, action: () => void) => {
      if (!done.has(name)) action()
      done.add(name)
    }
    once('log', () => log(`waiting for an earlier Postgres (process ${pid}) to stop`))
    if (waited > interruptAfter) once('INT', () => kill(running, pid, 'SIGINT'))
    if (waited > quitAfter) once('QUIT', () => kill(running, pid, 'SIGQUIT'))
    if (waited > giveUpAfter) {
      throw new Error(
        `An earlier Postgres still runs on ${folder} (processes ${running.join(', ')}) and does ` +
          'not stop. Stop it, then start again.',
      )
    }
    await sleep(50)
  }
  await removeStalePidFile(folder, pid)
}

/** When the server is gone, only its orphans must be stopped. */
function kill(running: number[], postmaster: number, signal: NodeJS.Signals): void {
  for (const pid of running.includes(postmaster) ? [postmaster] : running) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
}

/**
 * Postgres ignores a pid file of a dead process, but not if the id now belongs to another process.
 * No process of the old server is left here, so the file is meaningless.
 */
async function removeStalePidFile(folder: string, pid: number): Promise<void> {
  if ((await postmasterPid(folder)) === pid) await rm(join(folder, 'postmaster.pid'))
}

async function serversIn(folder: string, postmaster: number): Promise<number[]> {
  if (process.platform !== 'linux') {
    const listed = await run('ps', ['-o', 'comm=', '-p', String(postmaster)]).catch(() => undefined)
    return listed && basename(listed.stdout.trim()) === 'postgres' ? [postmaster] : []
  }
  const wanted = await stat(folder)
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const at = await stat(`/proc/${name}/cwd`)
      if (at.dev !== wanted.dev || at.ino !== wanted.ino) continue
      const program = basename(await readlink(`/proc/${name}/exe`))
      if (/^postgres( \(deleted\))?$/.test(program)) found.push(Number(name))
    } catch {
      // It has ended, or belongs to another user and so is not our server.
    }
  }
  return found
}
