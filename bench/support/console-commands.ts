/** How long the commands of those who change the console take. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Line, timeLine } from './measured-lines.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ROUNDS = 3
const BUILD_MS = 5_000
const TYPES_MS = 4_000

const packageOf = (name: string): string =>
  dirname(createRequire(join(ROOT, 'console/package.json')).resolve(`${name}/package.json`))

function time(command: readonly string[], cwd: string): number[] {
  return Array.from({ length: ROUNDS }, () => {
    const started = performance.now()
    const { status, stderr } = spawnSync(process.execPath, command, { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
    return performance.now() - started
  })
}

export function timeCommands(): Line[] {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-bench-console-'))
  try {
    const vite = join(packageOf('vite'), 'bin/vite.js')
    const build = [vite, 'build', '--logLevel', 'error', '--outDir', folder, '--emptyOutDir']
    const types = [join(packageOf('typescript'), 'bin/tsc'), '--noEmit', '-p', 'console']
    return [
      timeLine('building the console', time(build, join(ROOT, 'console')), BUILD_MS),
      timeLine('checking the types of the console', time(types, ROOT), TYPES_MS),
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
