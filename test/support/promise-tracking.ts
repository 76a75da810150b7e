/**
 * `node:test` follows every promise back to the test that it was made in. That is how what a file
 * asks for while it is loaded gets into the suite of that file, and how an error that nobody
 * catches gets the name of its test. Followed all the time it takes an eighth of what tests take.
 */
import { type AsyncHook, createHook } from 'node:async_hooks'

/** Call it before the first suite: from then on what follows promises is known. */
export function findTracking(): { resume(): void; pause(): void } {
  const tracking: AsyncHook[] = []
  const prototype = Object.getPrototypeOf(createHook({})) as AsyncHook
  const enable = Object.getOwnPropertyDescriptor(prototype, 'enable') as PropertyDescriptor
  Object.defineProperty(prototype, 'enable', {
    ...enable,
    value(this: AsyncHook) {
      tracking.push(this)
      Object.defineProperty(prototype, 'enable', enable)
      return this.enable()
    },
  })
  return {
    resume: () => void tracking[0]?.enable(),
    pause: () => void tracking[0]?.disable(),
  }
}

/** Without a name of a test, an error that nobody catches ends the process instead. */
export function endWithUncaught(file: () => string): void {
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error: unknown) => {
      const text = error instanceof Error ? error.stack : String(error)
      process.stderr.write(`${file()}: nobody caught this (${event}): ${text}\n`)
      process.exit(1)
    })
  }
}
