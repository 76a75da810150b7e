/** Where somebody begins: in the workspace that they mean, or with the list of them. */
import { Navigate } from '@tanstack/react-router'
import { Skeleton } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { lastWorkspace } from '../../session/preferences.ts'
import { useWorkspaces } from '../../session/workspace.tsx'
import { startOf } from './start-of.ts'

export default function Start() {
  const { data, error } = useWorkspaces()
  // The list says why it could not be read.
  if (error !== null) return <Navigate to="/workspaces" replace />
  if (data === undefined) return <Skeleton width="30%" />
  const workspace = startOf(data.items, lastWorkspace())
  return <Navigate to={workspace ? below(workspace.slug, '') : '/workspaces'} replace />
}
