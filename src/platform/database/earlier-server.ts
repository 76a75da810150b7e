/** Servers of an earlier run that may still use the database folder, and the files they leave. */
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Both begin with the process id of a server and survive one that was killed. Of a file whose id
 * now belongs to any other process, even to a zombie, Postgres would believe that its server runs.
 */
const lockFiles = (port: number) => ['postmaster.pid', `.s.PGSQL.${port}.lock`] as const

/** The process id at the beginning of a lock file. */
async function pidIn(path: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(path, 'utf8').catch(() => ''), 10)
  return pid > 0 ? pid : undefined
}

export interface StopTimeouts {
  interruptAfter: number
  quitAfter: number
  giveUpAfter: number
  /** Time between two lines that say that it still waits. */
  noticeEvery: number
}

const timeouts: StopTimeouts = {
  interruptAfter: 500,
  quitAfter: 30_000,
  giveUpAfter: 60_000,
  noticeEvery: 10_000,
}

const seconds = (ms: number): number => Math.round(ms / 1_000)

/**
 * Waits until no Postgres of an earlier run uses the folder, and removes the lock files it left.
 * Normally its watcher is stopping it; if the watcher is dead too, the server is asked to stop, and
 * finally killed.
 * @param port the one in the name of the socket
 */
export async function waitForEarlierServer(
  folder: string,
  port: number,
  log: (line: string) => void,
  given: Partial<StopTimeouts> = {},
): Promise<void> {
  const { interruptAfter, quitAfter, giveUpAfter, noticeEvery } = { ...timeouts, ...given }
  const files = lockFiles(port).map((name) => join(folder, name))
  const found = await Promise.all(files.map(pidIn))
  if (found.every((pid) => pid === undefined)) return
  const started = Date.now()
  let notices = 0
  const done = new Set<NodeJS.Signals>()
  for (;;) {
    const running = await serversIn(folder, found)
    if (running.length === 0) break
    const waited = Date.now() - started
    const once = (signal: NodeJS.Signals) => {
      if (!done.has(signal)) kill(running, found[0], signal)
      done.add(signal)
    }
    if (waited >= notices * noticeEvery) {
      notices += 1
      log(
        `waiting for an earlier Postgres on ${folder} to stop (processes ${running.join(', ')}), ` +
          `for ${seconds(waited)} of at most ${seconds(giveUpAfter)} seconds. ` +
          `If it hangs, end it with: kill -9 ${running.join(' ')}`,
      )
    }
    if (waited > interruptAfter) once('SIGINT')
    if (waited > quitAfter) once('SIGQUIT')
    if (waited > giveUpAfter) {
      throw new Error(
        `An earlier Postgres still runs on ${folder} and does not stop. End it, then start again: ` +
          `kill -9 ${running.join(' ')}`,
      )
    }
    await sleep(50)
  }
  // No server is left, so the files are meaningless whatever process has their ids by now.
  await Promise.all(files.map((path) => rm(path, { force: true })))
}

/** When the server is gone, only its orphans must be stopped. */
function kill(running: number[], postmaster: number | undefined, signal: NodeJS.Signals): void {
  const isThere = postmaster !== undefined && running.includes(postmaster)
  for (const pid of isThere ? [postmaster] : running) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
}

/**
 * The living Postgres processes of the folder. A zombie has neither a program nor a working
 * directory any more, so it is never among them.
 */
async function serversIn(folder: string, named: (number | undefined)[]): Promise<number[]> {
  if (process.platform !== 'linux') {
    const pids = new Set(named.filter((pid) => pid !== undefined))
    const checked = await Promise.all([...pids].map(async (pid) => isServerOf(folder, pid)))
    return [...pids].filter((_pid, index) => checked[index])
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

/** Where there is no /proc: a server names its folder on its command line. */
async function isServerOf(folder: string, pid: number): Promise<boolean> {
  const listed = await run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).catch(() => undefined)
  return listed?.stdout.includes(`postgres -D ${folder} `) ?? false
}
