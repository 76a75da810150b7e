/** Resolves the access token of a mobile identity, whose session must be live. */
import type { Claims, TokenIssuer } from '../../access/jwt.ts'
import type { MoidCaller } from '../../access/principal.ts'
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db } from '../../database/connect.ts'
import { FeedCache } from '../../database/feed-cache.ts'
import { parseId } from '../../lib/ids.ts'
import type { SigningKeys } from '../signing-keys/signing-key.ts'
import { verifyAccessToken } from '../signing-keys/token-verification.ts'
import { findAdmitted } from './store.ts'

export interface MoidAuthentication {
  /** The caller; undefined for an invalid token or an ended session. */
  authenticate(token: string): MoidCaller | undefined | Promise<MoidCaller | undefined>
}

export interface MoidAuthenticationOptions {
  db: Db
  feed: ChangeFeed
  tokens: TokenIssuer
  signingKeys: Pick<SigningKeys, 'keys' | 'learn'>
}

const MAX_CACHED_SESSIONS = 50_000

export function createMoidAuthentication(options: MoidAuthenticationOptions): MoidAuthentication {
  const { db, feed, tokens, signingKeys } = options
  const sessions = new FeedCache<MoidCaller>({
    feed,
    max: MAX_CACHED_SESSIONS,
    kinds: ['moid-session', 'workspace'],
    refsOf: ({ sessionId, workspaceId }) =>
      workspaceId === null ? [sessionId] : [sessionId, workspaceId],
  })
  const read = async (sessionId: string): Promise<MoidCaller | undefined> => {
    const row = await findAdmitted(db, sessionId)
    return row && { kind: 'moid', moidId: row.moid_id, sessionId, workspaceId: row.workspace_id }
  }
  const admit = (
    claims: Claims | undefined,
  ): MoidCaller | undefined | Promise<MoidCaller | undefined> => {
    const sessionId = claims && parseId('mse', claims.sid)
    if (sessionId === undefined) return undefined
    const moidId = parseId('moid', (claims as Claims).sub)
    const own = (caller: MoidCaller | undefined): MoidCaller | undefined =>
      caller?.moidId === moidId ? caller : undefined
    const known = sessions.get(sessionId)
    return known ? own(known) : sessions.load(sessionId, () => read(sessionId)).then(own)
  }
  return {
    authenticate(token) {
      const claims = verifyAccessToken(tokens, signingKeys, 'service.moid', token)
      return claims instanceof Promise ? claims.then(admit) : admit(claims)
    },
  }
}
