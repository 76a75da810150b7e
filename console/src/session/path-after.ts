/**
 * Where signing in leads: a path of this console only, so that no link can lead elsewhere. Without
 * one, its start, which chooses the workspace.
 */
export function pathAfter(next: string | undefined): string {
  const isPath = next?.startsWith('/') === true && !/^\/[/\\]/.test(next)
  return isPath ? next : '/'
}
