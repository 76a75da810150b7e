/**
 * Anyone who controls the domain of a workspace may read what passes through it. So a session of a
 * domain changes nothing that reaches beyond the workspace.
 */
import type { UserCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { Failure } from '../../../platform/errors/errors.ts'

/**
 * @param purpose what the person wanted to do
 * @throws Failure permission_denied for a session that is valid for one workspace only
 */
export function requireOrdinarySession(
  { caller, origin }: Pick<Context, 'origin'> & { caller: Pick<UserCaller, 'limitedTo'> },
  purpose: string,
): void {
  if (caller.limitedTo === null) return
  throw new Failure('permission_denied', {
    detail:
      'This session was opened through the domain of a workspace, and is limited to that one ' +
      `only. Sign in at ${origin()} to ${purpose}.`,
  })
}
