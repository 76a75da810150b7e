/** `mooring workspaces`: lists workspaces and restores deleted ones. */
import type { Command } from 'commander'
import { addCommand, CommandFailure, say } from './command.ts'
import { addList } from './lists.ts'

async function restore(slug: string): Promise<void> {
  const { Failure } = await import('../platform/errors/errors.ts')
  const { restoreWorkspace } = await import(
    '../features/workspaces/lifecycle/workspace-deletion.ts'
  )
  const { withInstallation } = await import('./installation/session.ts')
  const { hasOwner } = await withInstallation({}, ({ db, feed }) =>
    restoreWorkspace({ db, feed }, slug).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code !== 'workspace_not_found') throw error
      throw new CommandFailure(`No workspace with the slug ${slug} can be restored.`)
    }),
  )
  say(`The workspace ${slug} is restored, with its members, keys and devices.`)
  if (hasOwner) return
  say(
    `No owner of it can sign in. Make one: mooring accounts create --email … --workspace ${slug} ` +
      '--role owner',
  )
}

export function addWorkspaces(program: Command): void {
  const workspaces = program
    .command('workspaces')
    .summary('List workspaces, and restore deleted ones')
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
  addList(workspaces, 'workspaces')
}
