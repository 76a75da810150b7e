/** Keeps the console of a checkout up to date. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { say } from '../command.ts'

const BUILD = fileURLToPath(new URL('../../../console/build.ts', import.meta.url))

/** Builds the console if its sources have changed. The service starts also if that fails. */
export function refreshConsole(): void {
  if (!existsSync(BUILD)) return
  const { status, stderr } = spawnSync(process.execPath, [BUILD], { encoding: 'utf8' })
  if (status !== 0) say(`The console is not up to date.\n${stderr.slice(0, 2_000)}`)
}
