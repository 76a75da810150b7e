/** `mooring serve`: runs the service. */
import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { root } from '../app/project.ts'
import { addCommand, say } from './command.ts'

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

/** Invalid settings are reported before the service's code is even loaded. */
async function run(): Promise<void> {
  const { readConfig } = await import('../platform/config/config.ts')
  const config = readConfig()
  if (cluster.isWorker) {
    const { serveHttp } = await import('./serve/http-process.ts')
    return serveHttp(config)
  }
  const { requireUsable } = await import('./serve/preflight.ts')
  requireUsable(config)
  if (config.console === 'on') await refreshConsole()
  const { openWhile } = await import('./serve/opening.ts')
  const load = () => import('./serve/service.ts')
  const opening = await openWhile(config, load)
  const { serve } = await load()
  await serve(config, opening)
}

export function addServe(program: Command): void {
  addCommand(program, 'serve', {
    summary: 'Run the service: database, broker and API',
    more:
      'The first start creates the database, its owner and a workspace. The service runs ' +
      'until a signal (Ctrl-C, SIGTERM, SIGHUP). It stops within ten seconds.',
    examples: ['serve', 'config   # list the settings'],
    failsWhen: 'the service could not start, or the database was lost permanently',
  }).action(run)
}
