/** A program that is started for the service ends with it, also if it does not want to. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { ROOT } from '../../support/sources.ts'
import { until } from '../../support/until.ts'

const library = pathToFileURL(join(ROOT, 'src/platform/database/supervised-process.ts')).href

/** Prints its process id, and ends only after the line `quit`. */
const stubborn = `process.on('SIGINT', () => {}).on('SIGQUIT', () => process.exit())
  console.log(process.pid)
  setInterval(() => {}, 1_000)`

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a program that hangs when it is interrupted ends after its service was killed', async (t) => {
  const command = JSON.stringify([process.execPath, '--eval', stubborn])
  const service = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { startSupervised } from '${library}'
       startSupervised({ command: ${command}, folder: '/', output: 1, identity: {} })`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [text] = (await once(service.stdout, 'data')) as [Buffer]
  const pid = Number(text.toString())
  t.after(() => isThere(pid) && process.kill(pid, 'SIGKILL'))
  assert.ok(isThere(pid))
  service.kill('SIGKILL')
  await until('the program has ended', () => !isThere(pid))
})
