/**
 * The name under which the broker knows a session. A client id is unique only per principal,
 * so the name begins with the workspace and the principal: no CONNECT can take over or resume the
 * session of another principal.
 */
import type { Grant } from '../port.ts'

const SEPARATOR = '/'

/** Throws when an id holds the separator, since two names could then be one. */
export function sessionName(grant: Grant, clientId: string): string {
  const { workspaceId, principalId } = grant
  for (const id of [workspaceId, principalId]) {
    if (id === '' || id.includes(SEPARATOR)) throw new Error('A grant contains a malformed id.')
  }
  return [workspaceId, principalId, clientId].join(SEPARATOR)
}

/** The workspace of a session's name. */
export const workspaceOf = (name: string): string => name.slice(0, name.indexOf(SEPARATOR))

/** The principal of a session's name. */
export function principalOf(name: string): string {
  const start = name.indexOf(SEPARATOR) + 1
  return name.slice(start, name.indexOf(SEPARATOR, start))
}
