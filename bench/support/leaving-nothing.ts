/**
 * Runs a bench so that it leaves nothing behind: its files are in one temporary folder, and what
 * it starts comes from this process or knows that folder. So Ctrl-C needs nothing from what was
 * interrupted.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { descendantsOf, isRunning, processesWith } from './processes.ts'

/** By the shell's rule: 128 and the number of the signal. */
const CODES = { SIGINT: 130, SIGTERM: 143 } as const

/** Until what was asked to end is killed. */
const GRACE_MS = 5_000
const POLL_MS = 50

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

/** Postgres ends at SIGINT without waiting for its clients. */
async function endAll(folder: string): Promise<void> {
  const find = (): number[] => [...descendantsOf(process.pid), ...processesWith('TMPDIR', folder)]
  const started = find()
  for (const pid of started) send(pid, 'SIGINT')
  const deadline = performance.now() + GRACE_MS
  for (;;) {
    // Some may have been started meanwhile, and some have lost their parents.
    const left = new Set([...started, ...find()].filter(isRunning))
    if (left.size === 0) return
    if (performance.now() > deadline) for (const pid of left) send(pid, 'SIGKILL')
    await sleep(POLL_MS)
  }
}

/**
 * After SIGINT or SIGTERM the process exits quietly, with their codes.
 * @param work returns true if its files are to stay for somebody to look at
 */
export async function leavingNothing(work: () => Promise<unknown>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-bench-'))
  process.env.TMPDIR = folder
  const interruption = Promise.withResolvers<keyof typeof CODES>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interruption.resolve)
  let isKept = false
  try {
    const working = work().then((kept) => void (isKept = kept === true))
    const signal = await Promise.race([interruption.promise, working])
    if (signal === undefined) return
    // A program or a connection that is lost now has nobody to notify.
    process.on('uncaughtException', () => {})
    await endAll(folder)
    process.exitCode = CODES[signal]
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    if (process.exitCode !== undefined) process.exit()
  }
}
