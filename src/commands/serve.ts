/** `mooring serve`: runs the service. */
import cluster from 'node:cluster'
import type { Command } from 'commander'
import { addCommand } from './command.ts'

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
  if (config.console === 'on') {
    const { refreshConsole } = await import('./serve/console-build.ts')
    await refreshConsole()
  }
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
