/**
 * One of the few processes of a run: takes test files until none is left. To load the service and
 * to have its code compiled takes longer than most files' tests. Each file is a suite by its name,
 * so that what it asks for before and after its tests happens there.
 */
import { resolve } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { FILE_TIMEOUT_MS, GRACE_MS, takeFiles, TURNS_FOLDER } from './test-queue.ts'
import { type AsyncHook, createHook } from 'node:async_hooks'

/** Call it before the first suite: from then on what follows promises is known. */
function findTracking(): { resume(): void; pause(): void } {
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
function endWithUncaught(file: () => string): void {
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error: unknown) => {
      const text = error instanceof Error ? error.stack : String(error)
      process.stderr.write(`${file()}: nobody caught this (${event}): ${text}\n`)
      process.exit(1)
    })
  }
}

const folder = process.env[TURNS_FOLDER]
if (folder === undefined) throw new Error('this is a part of test/run.ts')
const tracking = findTracking()
let running = ''
endWithUncaught(() => running)
for (const file of takeFiles(folder)) {
  running = file
  tracking.resume()
  await describe(file, { timeout: FILE_TIMEOUT_MS }, async () => {
    await import(pathToFileURL(resolve(file)).href)
    tracking.pause()
  })
}
// It ends by itself when nothing is open any more; this is for what a test has left open.
setTimeout(() => {
  const open = process.getActiveResourcesInfo().join(', ')
  process.stderr.write(
    `a process of the tests does not end, as one of its files left something open: ${open}\n` +
      'node test/run.ts --test-timeout=60000 gives each file its own process, and tells which\n',
  )
  process.exit(1)
}, GRACE_MS).unref()
