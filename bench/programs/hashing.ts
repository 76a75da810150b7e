/** The limit for signing in: only the password hash, with the service's parameters. */
import { performance } from 'node:perf_hooks'
import { verify } from '@node-rs/argon2'
import { respondCalls } from '../support/worker.ts'

const methods = {
  /** @returns verifications per second. */
  async run(argument: { hash: string; password: string; clients: number; seconds: number }) {
    const started = performance.now()
    const until = started + argument.seconds * 1_000
    let count = 0
    const drive = async (): Promise<void> => {
      while (performance.now() < until) {
        if (!(await verify(argument.hash, argument.password))) throw new Error('wrong password')
        count += 1
      }
    }
    await Promise.all(Array.from({ length: argument.clients }, drive))
    return count / ((performance.now() - started) / 1_000)
  },
}
export type HashingProgram = typeof methods

respondCalls(methods)
