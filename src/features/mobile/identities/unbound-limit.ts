/**
 * Limits on what anyone can create in a workspace without a credential of it: sessions, and claims
 * of identities that hold no device there.
 */
import type { AnonymousCaller, MoidCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'

/**
 * @param workspaceId null: of no workspace, such as a global session; limited by address only
 * @throws Failure rate_limited
 */
export async function requireUnboundPoint(
  { rateLimits, request }: Pick<Context<AnonymousCaller | MoidCaller>, 'rateLimits' | 'request'>,
  name: 'moid_sessions' | 'moid_claims',
  workspaceId: string | null,
): Promise<void> {
  await rateLimits.consumeFrom(name, request.address, workspaceId ?? 'global')
  // Only what the limit of the address admits, so that one address cannot use it up.
  if (workspaceId !== null) await rateLimits.consume(`${name}_of_workspace`, workspaceId)
}
