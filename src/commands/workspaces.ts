/** `mooring workspaces`: restores deleted workspaces. */
import type { Command } from 'commander'
import { addCommand, say } from './parts/command.ts'

async function restore(slug: string): Promise<void> {
  const { restoreBySlug } = await import('./parts/restore-workspace.ts')
  await restoreBySlug(slug)
  say(`The workspace ${slug} is there again, with its members, keys and devices.`)
}

export function addWorkspaces(program: Command): void {
  const workspaces = program.command('workspaces').summary('Bring deleted workspaces back')
  workspaces.description('Workspaces as the operator sees them.')
  addCommand(workspaces, 'restore', {
    summary: 'Bring a deleted workspace back',
    more:
      'Works beside a running service and without one, for 30 days after the deletion: until the ' +
      'erasure has begun.',
    examples: ['workspaces restore acme-sensors'],
    failsWhen: 'no workspace with this slug is deleted, or the database is away',
  })
    .argument('<slug>', 'the slug that the workspace had')
    .action(restore)
}
