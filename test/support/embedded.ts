// Shared by tests of the embedded database: temporary data folders, the stand-in service as a child
// process, and the Postgres processes running in a folder.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { copyCluster } from './database.ts'

const servicePath = fileURLToPath(new URL('embedded-service.ts', import.meta.url))

/** A new folder with mode 0700, removed after the test. */
export async function temporaryFolder(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-test-'))
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** The same with a database in it, which no server has open. */
export async function folderWithDatabase(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await temporaryFolder(t)
  await copyCluster(folder)
  return folder
}

export type ServiceChild = {
  process: ChildProcess
  lines: string[]
  /** The first line, seen or still to come, that starts with the text. */
  line(start: string): Promise<string>
  /** Ends its standard input, and waits until it has stopped the database. */
  stop(): Promise<void>
  /** kill -9, and waits until the process is gone; its database may still be stopping. */
  kill(): Promise<void>
}

export function spawnService(
  t: Pick<TestContext, 'after'>,
  dataDir: string,
  options: { flags?: string[]; uid?: number; gid?: number } = {},
): ServiceChild {
  const { flags = [], ...ids } = options
  // In a process group of its own, to which a terminal's Ctrl-C can be sent.
  const child = spawn(process.execPath, [servicePath, dataDir, ...flags], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    ...ids,
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(kill)
  return {
    process: child,
    lines,
    kill,
    line: (start) =>
      eventually(`the line "${start}"`, () => lines.find((line) => line.startsWith(start))),
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}

/**
 * Asks until there is a response other than undefined and false; a bound far above any real wait.
 */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const deadline = Date.now() + 180_000
  for (;;) {
    const response = await ask()
    if (response !== undefined && response !== false) return response
    if (Date.now() > deadline) throw new Error(`${what} did not come about within three minutes`)
    await sleep(10)
  }
}

/** The ids of all Postgres processes whose working directory is the folder. */
export async function serverProcesses(folder: string): Promise<number[]> {
  const wanted = await stat(folder)
  const found: number[] = []
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const program = await readlink(`/proc/${name}/exe`).catch(() => '')
    const at = await stat(`/proc/${name}/cwd`).catch(() => undefined)
    if (basename(program) === 'postgres' && at?.ino === wanted.ino && at.dev === wanted.dev) {
      found.push(Number(name))
    }
  }
  return found
}

/**
 * Kills a service together with the processes that would stop its server then; returns the server's
 * id. The service stands still meanwhile, or it would stop the server when it sees its watcher end.
 */
export async function orphanServer(service: ServiceChild, dataDir: string): Promise<number> {
  service.process.kill('SIGSTOP')
  const server = Number.parseInt(
    await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'),
    10,
  )
  const status = await readFile(`/proc/${server}/status`, 'utf8')
  const watcher = Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1])
  const children = await readFile(`/proc/${watcher}/task/${watcher}/children`, 'utf8')
  const readers = children.split(' ').filter(Boolean).map(Number)
  for (const pid of [watcher, ...readers.filter((reader) => reader !== server)]) {
    process.kill(pid, 'SIGKILL')
  }
  await service.kill()
  return server
}
