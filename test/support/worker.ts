/**
 * One of the few processes of a run: takes test files until none is left. To load the service and
 * to have its code compiled takes longer than most files' tests. Each file is a suite by its name,
 * so that what it asks for before and after its tests happens there.
 */
import { resolve } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { endWithUncaught, findTracking } from './promise-tracking.ts'
import { FILE_TIMEOUT_MS, GRACE_MS, takeFiles, TURNS_FOLDER } from './test-queue.ts'

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
