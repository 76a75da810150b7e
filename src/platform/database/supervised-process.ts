/**
 * Starts a program that ends when this process ends, however it ends.
 *
 * A process killed with -9 cannot clean up, and a plain child would survive as an orphan. So a
 * small shell in between holds the read end of a pipe whose write end only this process has. When
 * this process dies, the kernel closes the pipe and the shell interrupts the program. After ten
 * seconds it makes it quit: Postgres 18 hangs when it is interrupted during crash recovery. It has
 * its own session, so that Ctrl-C in a terminal, which signals the whole process group, reaches
 * neither it nor the program before the service has drained.
 */
import { spawn } from 'node:child_process'

/**
 * One reader waits for commands or the end of the pipe, while the shell waits for the program,
 * which does not inherit the pipe. The shell must survive a signal sent to a service manager's
 * whole process group, hence the trap.
 */
const script = `
trap '' HUP INT TERM
exec 3<&0 </dev/null
"$@" 3<&- &
program=$!
(
  while read -r signal <&3; do kill -"$signal" "$program"; done
  kill -INT "$program"
  sleep 10
  kill -QUIT "$program"
) &
reader=$!
exec 3<&-
wait "$program"
status=$?
{ kill -KILL "$reader"; wait "$reader"; } 2>/dev/null
exit "$status"
`

/** Neither the service's secrets nor PG* variables should reach Postgres. */
const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

export type SupervisedProcess = {
  /** Requests a signal; no-op once the program has ended. */
  signal(name: 'INT' | 'QUIT' | 'TERM'): void
  /** Resolves when the program has ended; `code` is null if the shell was killed. */
  exited: Promise<{ code: number | null }>
}

export type ProgramStart = {
  command: string[]
  folder: string
  /** File descriptor for the program's output. */
  output: number
  identity: { uid?: number; gid?: number }
}

export function startSupervised(start: ProgramStart): SupervisedProcess {
  const shell = spawn('/bin/sh', ['-c', script, 'mooring-postgres', ...start.command], {
    cwd: start.folder,
    env: environment,
    detached: true,
    stdio: ['pipe', start.output, start.output],
    ...start.identity,
  })
  const orders = shell.stdin
  if (!orders) throw new Error('the pipe to the watching shell is missing')
  // Writing to a shell that has just ended is harmless: `exited` reports it.
  orders.on('error', () => {})
  const exited = new Promise<{ code: number | null }>((resolve, reject) => {
    shell.once('error', reject)
    shell.once('exit', (code) => {
      orders.destroy()
      resolve({ code })
    })
  })
  return {
    signal: (name) => {
      if (orders.writable) orders.write(`${name}\n`)
    },
    exited,
  }
}

export { environment as postgresEnvironment }
