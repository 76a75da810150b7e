/** `mooring serve`: runs the service. */
import type { Command } from 'commander'
import { addCommand } from './parts/command.ts'

export function addServe(program: Command): void {
  addCommand(program, 'serve', {
    summary: 'Run the service: database, broker and API',
    more:
      'The first start makes the database, its owner and a workspace. It runs until it is told to ' +
      'stop (Ctrl-C, SIGTERM), which takes at most ten seconds.',
    examples: ['serve', 'config   # what can be set, and how'],
    failsWhen: 'it could not start, or the database was lost for good',
  }).action(async () => {
    const { serve } = await import('./parts/service.ts')
    await serve()
  })
}
