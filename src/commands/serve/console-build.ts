/** Keeps the console of a checkout up to date. */
import { existsSync } from 'node:fs'
import { root } from '../../app/project.ts'
import { say } from '../command.ts'

/** Not a part of the service: in a package there is none. */
const BUILD = new URL('console/build.ts', root)

/**
 * Builds the console if its sources have changed. The service starts also if that fails.
 * @param build the program that builds it
 * @param notify for people
 */
export async function refreshConsole(build = BUILD, notify = say): Promise<void> {
  if (!existsSync(build)) return
  try {
    const { buildConsole } = (await import(build.href)) as { buildConsole: () => string }
    buildConsole()
  } catch (error) {
    notify(`The console is not up to date.\n${String(error).slice(0, 2_000)}`)
  }
}
