/** Resolves the access token of a mobile identity, whose session must be live. */
import type { Claims, TokenIssuer } from '../../../platform/access/jwt.ts'
import type { MoidCaller } from '../../../platform/access/principal.ts'
import { FeedCache } from '../../../platform/database/feed-cache.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import { andThen, type MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import type { SigningKeys } from '../../identity/signing-keys/signing-key.ts'
import { verifyAccessToken } from '../../identity/signing-keys/token-verification.ts'
import { type AdmittedRow, findAdmitted } from './store.ts'
import type { Services } from '../../../context.ts'

export interface MoidAuthenticationOptions extends Pick<Services, 'db' | 'feed'> {
  tokens: TokenIssuer
  signingKeys: Pick<SigningKeys, 'keys' | 'learn'>
}

interface Admitted {
  caller: MoidCaller
  /** The rows that it depends on. */
  refs: readonly string[]
}

function admittedOf(sessionId: string, row: AdmittedRow): Admitted {
  const { moid_id: moidId, workspace_id: workspaceId, device_id: deviceId } = row
  return {
    caller: { kind: 'moid', moidId, sessionId, workspaceId, holdsDevice: deviceId !== null },
    // A deleted device takes its binding with it.
    refs: [sessionId, moidId, workspaceId, deviceId].filter((ref) => ref !== null),
  }
}

const MAX_CACHED_SESSIONS = 50_000

/** @returns gives the caller of a token; undefined for an invalid one or an ended session */
export function createMoidAuthentication({
  db,
  feed,
  tokens,
  signingKeys,
}: MoidAuthenticationOptions): (token: string) => MaybePromise<MoidCaller | undefined> {
  const sessions = new FeedCache<Admitted>({
    feed,
    max: MAX_CACHED_SESSIONS,
    kinds: ['moid-session', 'moid-devices', 'device', 'workspace'],
    refsOf: ({ refs }) => refs,
  })
  const read = async (sessionId: string): Promise<Admitted | undefined> => {
    const row = await findAdmitted.first(db, { id: sessionId })
    return row && admittedOf(sessionId, row)
  }
  const admit = (claims: Claims | undefined): MaybePromise<MoidCaller | undefined> => {
    const sessionId = claims && parseId('mse', claims.sid)
    if (sessionId === undefined) return undefined
    const moidId = parseId('moid', (claims as Claims).sub)
    const own = (found: Admitted | undefined): MoidCaller | undefined =>
      found?.caller.moidId === moidId ? found?.caller : undefined
    const known = sessions.get(sessionId)
    return known ? own(known) : sessions.load(sessionId, () => read(sessionId)).then(own)
  }
  return (token) => andThen(verifyAccessToken(tokens, signingKeys, 'service.moid', token), admit)
}
