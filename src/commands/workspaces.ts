/** `mooring workspaces`: restores deleted workspaces. */
import type { Command } from 'commander'
import { addCommand, say } from './parts/command.ts'

async function restore(slug: string): Promise<void> {
  const { restoreBySlug } = await import('./parts/restore-workspace.ts')
  await restoreBySlug(slug)
  say(`The workspace ${slug} is restored, with its members, keys and devices.`)
}

export function addWorkspaces(program: Command): void {
  const workspaces = program.command('workspaces').summary('Restore deleted workspaces')
  workspaces.description('Workspaces, for the operator.')
  addCommand(workspaces, 'restore', {
    summary: 'Restore a deleted workspace',
    more:
      'Works with and without a running service, for 30 days after the deletion, until the ' +
      'erasure has begun.',
    examples: ['workspaces restore acme-sensors'],
    failsWhen: 'there is no deleted workspace with this slug, or the database is not available',
  })
    .argument('<slug>', 'the former slug of the workspace')
    .action(restore)
}
