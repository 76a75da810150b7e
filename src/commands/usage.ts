/** `mooring usage`: maintenance of usage data. */
import type { Command } from 'commander'
import { addCommand, say } from './command.ts'

async function recompute(): Promise<void> {
  const { recomputeUsage } = await import('../features/metering/usage/ledger.ts')
  const { withInstallation } = await import('./installation/session.ts')
  const { workspaces, differing } = await withInstallation({}, ({ db }) => recomputeUsage(db))
  say(
    differing === 0
      ? `The sums of ${workspaces} ${workspaces === 1 ? 'workspace' : 'workspaces'} match the ledger.`
      : `${differing} hourly rows did not match the ledger, and were recomputed.`,
  )
}

export function addUsage(program: Command): void {
  const usage = program.command('usage').summary('Recompute usage totals')
  usage.description('Usage of workspaces.')
  addCommand(usage, 'recompute', {
    summary: 'Recompute the totals of all hours and months from the ledger',
    more:
      'Works with and without a running service. The ledger has an entry for each batch that ' +
      'a process has written, so the totals can be wrong only if somebody has changed them ' +
      'manually.',
    examples: ['usage recompute'],
    failsWhen: 'the database is not available',
  }).action(recompute)
}
