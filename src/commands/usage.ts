/** `mooring usage`: maintenance of usage data. */
import type { Command } from 'commander'
import { addCommand, say } from './parts/command.ts'

async function recompute(): Promise<void> {
  const { recomputeAll } = await import('./parts/recompute-usage.ts')
  const { workspaces, differing } = await recomputeAll()
  say(
    differing === 0
      ? `The sums of ${workspaces} ${workspaces === 1 ? 'workspace' : 'workspaces'} are what the ledger says.`
      : `${differing} rows of hours were not what the ledger says, and are made again.`,
  )
}

export function addUsage(program: Command): void {
  const usage = program.command('usage').summary('Make sums of usage again')
  usage.description('What workspaces have used.')
  addCommand(usage, 'recompute', {
    summary: 'Make the sums of all hours and months again from the ledger',
    more:
      'Works beside a running service and without one. The ledger has an entry for each batch that ' +
      'a process has written, so the sums can be wrong only if somebody has changed them by hand.',
    examples: ['usage recompute'],
    failsWhen: 'the database is away',
  }).action(recompute)
}
