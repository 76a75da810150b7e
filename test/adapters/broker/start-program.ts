/** Foreign programs that a test starts, and ends by their process id. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Foreign brokers take minutes to be looked through, so they are started where this is set, and
 * then they have to be there.
 */
const REQUIRED = process.env.MOORING_TEST_BROKERS === '1'

/** @returns why a test is skipped, or false when all of its programs are there. */
export function lacking(...paths: readonly string[]): string | false {
  if (!REQUIRED) return 'live brokers are started with MOORING_TEST_BROKERS=1'
  const absent = paths.filter((path) => !isThere(path))
  if (absent.length === 0) return false
  throw new Error(`MOORING_TEST_BROKERS=1 demands ${absent.join(', ')}`)
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

export interface Program {
  child: ChildProcess
  /** The text in both of its outputs so far. */
  output(): string
  /** Ends it, and waits until it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts a program in a process group of its own, so that all it starts ends with it. */
export function startProgram(
  path: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  folder: string = process.cwd(),
): Program {
  const child = spawn(path, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let written = ''
  const write = (bytes: Buffer): void => void (written = (written + String(bytes)).slice(-20_000))
  child.stdout.on('data', write)
  child.stderr.on('data', write)
  const killGroup = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {
      // It is gone.
    }
  }
  // A test process that is killed by its time-out must not leave a broker behind.
  const onExit = (): void => killGroup('SIGKILL')
  const onSignal = (): void => {
    onExit()
    process.exit(1)
  }
  process.once('exit', onExit)
  process.once('SIGTERM', onSignal)
  return {
    child,
    output: () => written,
    async stop(signal = 'SIGTERM') {
      process.off('exit', onExit)
      process.off('SIGTERM', onSignal)
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      killGroup(signal)
      const hasGone = await Promise.race([gone.then(() => true), wait(10_000, false)])
      if (!hasGone) killGroup('SIGKILL')
      await gone
    },
  }
}

/** Waits until something listens on the port; throws with what the program wrote if it ends. */
export async function listens(port: number, program: Program, seconds = 180): Promise<void> {
  const end = Date.now() + seconds * 1_000
  for (;;) {
    const isThere = await accepts(port)
    const hasEnded = program.child.exitCode !== null
    // Somebody else may have got the port, and the program have found it taken.
    if (isThere && !hasEnded) return
    if (hasEnded || Date.now() > end) {
      throw new Error(`Nothing listens on ${port}: ${program.output()}`)
    }
    await wait(30)
  }
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('connect', () => (socket.destroy(), resolve(true)))
    socket.once('error', () => resolve(false))
  })
}
