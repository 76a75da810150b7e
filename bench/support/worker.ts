/**
 * A program in its own process, called through messages: the load generator must not share an event
 * loop with what is measured, nor may the two sides of a comparison.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'

/** The commands of a program; each takes one argument. */
export type Methods = Record<string, (argument: never) => Promise<unknown>>

export interface Worker<M extends Methods> {
  pid: number
  /** Rejects with what the method threw, or when the program has ended. */
  call<Name extends keyof M & string>(
    name: Name,
    argument: Parameters<M[Name]>[0],
  ): Promise<Awaited<ReturnType<M[Name]>>>
  /** Lets the program end; kills it when it doesn't. */
  stop(): Promise<void>
}

interface Call {
  id: number
  name: string
  argument: unknown
}

interface Reply {
  id: number
  value?: unknown
  error?: string
}

const TIMEOUT_MS = 15_000

/**
 * @param program path of the file from the root of the project.
 * @param profiles folder for a CPU profile of the program, written when it ends.
 */
export function startWorker<M extends Methods>(program: string, profiles?: string): Worker<M> {
  const flags =
    profiles === undefined
      ? []
      : [
          '--cpu-prof',
          `--cpu-prof-dir=${profiles}`,
          `--cpu-prof-name=${basename(program, '.ts')}-${Date.now()}.cpuprofile`,
        ]
  const child = fork(new URL(`../../${program}`, import.meta.url), {
    serialization: 'advanced',
    execArgv: [...process.execArgv, ...flags],
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  child.on('message', ({ id, value, error }: Reply) => {
    const call = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) call?.resolve(value)
    else call?.reject(new Error(`${program}: ${error}`))
  })
  child.on('exit', (code, signal) => {
    const error = new Error(`${program} has ended (${signal ?? code})`)
    for (const call of waiting.values()) call.reject(error)
    waiting.clear()
  })
  let calls = 0
  return {
    pid: child.pid ?? 0,
    call(name, argument) {
      const call = Promise.withResolvers<unknown>()
      calls += 1
      waiting.set(calls, call)
      child.send({ id: calls, name, argument } satisfies Call)
      return call.promise as never
    },
    stop: () => stopChild(child),
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
  await ended
  clearTimeout(timer)
}

/** The child's side: answers calls until the parent disconnects. */
export function respondCalls(methods: Methods, close: () => Promise<void> = async () => {}): void {
  process.on('message', ({ id, name, argument }: Call) => {
    const reply = (rest: Omit<Reply, 'id'>): void => {
      // The parent no longer waits once it has disconnected.
      if (process.connected) process.send?.({ id, ...rest })
    }
    const method = methods[name] as (argument: unknown) => Promise<unknown>
    method(argument).then(
      (value) => reply({ value }),
      (error: Error) => reply({ error: error.stack ?? error.message }),
    )
  })
  process.on('disconnect', () => void close().finally(() => process.exit()))
}
