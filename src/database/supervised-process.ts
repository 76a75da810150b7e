// Starts a program that ends when this process ends, however it ends.
//
// A process killed with -9 can't tidy up, and a child spawned plainly would live on as an orphan.
// So a small shell stands between: it holds the reading end of a pipe whose writing end only this
// process has. The kernel closes the pipe when this process dies; the shell then interrupts the
// program. The shell runs in a session of its own, so that Ctrl-C in a terminal, which goes to the
// whole process group, reaches neither it nor the program before the service has drained.
import { spawn } from 'node:child_process'

// One reader waits for orders or for the end of the pipe, while the shell itself waits for the
// program. The program does not inherit the pipe. The shell must outlive a signal sent to all
// processes of a service manager's group, hence the trap.
const script = `
trap '' HUP INT TERM
exec 3<&0 </dev/null
"$@" 3<&- &
program=$!
(
  while read -r signal <&3; do kill -"$signal" "$program"; done
  kill -INT "$program"
) &
reader=$!
exec 3<&-
wait "$program"
status=$?
{ kill -KILL "$reader"; wait "$reader"; } 2>/dev/null
exit "$status"
`

// Neither the secrets of the service nor PG* settings of the caller belong in Postgres.
const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

export type SupervisedProcess = {
  /** Asks for the signal to be sent; does nothing once the program has ended. */
  signal(name: 'INT' | 'QUIT' | 'TERM'): void
  /** Resolves when the program has ended; `code` is null if the shell was killed under it. */
  exited: Promise<{ code: number | null }>
}

export type ProgramStart = {
  command: string[]
  folder: string
  /** The open file that takes what the program prints. */
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
  // Writing to a shell that has just ended is no failure: `exited` tells about it.
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
