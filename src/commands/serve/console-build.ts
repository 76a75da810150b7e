/** Keeps the console of a checkout up to date. */
import { existsSync } from 'node:fs'
import { say } from '../command.ts'

/** Not a part of the service: in a package there is none. */
const BUILD = new URL('../../../console/build.ts', import.meta.url)

/** Builds the console if its sources have changed. The service starts also if that fails. */
export async function refreshConsole(): Promise<void> {
  if (!existsSync(BUILD)) return
  try {
    const { buildConsole } = (await import(BUILD.href)) as { buildConsole: () => string }
    buildConsole()
  } catch (error) {
    say(`The console is not up to date.\n${String(error).slice(0, 2_000)}`)
  }
}
