/** Implements `mooring workspaces restore`. */
import { Failure } from '../../platform/errors/errors.ts'
import { restoreWorkspace } from '../../features/workspaces/lifecycle/workspace-deletion.ts'
import { CommandFailure } from './command.ts'
import { withInstallation } from './session.ts'

export const restoreBySlug = (slug: string): Promise<void> =>
  withInstallation({}, ({ db, feed }) =>
    restoreWorkspace({ db, feed }, slug).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code !== 'workspace_not_found') throw error
      throw new CommandFailure(`No workspace with the slug ${slug} can be restored.`)
    }),
  )
