/**
 * Refreshing a session, of whichever kind, and its limits. A valid token counts for its session, a
 * rejected one for the address, so that callers behind one address can neither use up each other's
 * limit nor guess.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import { readRefreshToken } from '../../../platform/access/refresh-tokens.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { LimitName, RateLimits } from '../../../platform/http/rate-limit.ts'
import type { RequestInfo } from '../../../platform/http/operation.ts'
import { decideRefresh, type RotatingSession, type RotationRule } from './refresh-rotation.ts'

interface Counted {
  rateLimits: RateLimits
  request: Pick<RequestInfo, 'address' | 'hostWorkspaceId' | 'showLimit'>
}

/**
 * A browser without a session asks on every start, so that counts as reading.
 * @throws Failure refresh_token_rejected, rate_limited
 */
export async function countMissing({ rateLimits, request }: Counted): Promise<never> {
  request.showLimit(await rateLimits.consumeFrom('read', request.address))
  throw new Failure('refresh_token_rejected')
}

/** @throws Failure refresh_token_rejected, or rate_limited after too many of them */
async function rejectRefresh({ rateLimits, request }: Counted): Promise<never> {
  request.showLimit(await rateLimits.consumeFrom('failures', request.address))
  throw new Failure('refresh_token_rejected')
}

/** All rounds but the last are lost to a concurrent change of the row. */
const ROUNDS = 4

/** A kind of session, and how its tokens are evaluated. */
export interface RefreshedKind<Row> {
  rule: RotationRule
  bucket: LimitName
  find: { first(db: Db, key: { id: string }): Promise<(Row & { now: number }) | undefined> }
  rotate: { first(db: Db, key: { id: string; generation: number }): Promise<Row | undefined> }
  /** UUID of the only workspace that the session is valid for, or null. */
  workspaceOf: (row: Row) => string | null
}

/**
 * The session of a refresh token, with the decision on it; undefined if that is to reject it.
 * Through the domain of a workspace only sessions are found that are valid for nothing else, since
 * anyone who controls the domain may read what passes through it.
 */
export async function sessionOfToken<Row extends RotatingSession>(
  { db, keyring }: { db: Db; keyring: Keyring },
  refreshToken: string,
  hostWorkspaceId: string | undefined,
  { rule, find, workspaceOf }: RefreshedKind<Row>,
) {
  const token = readRefreshToken(rule.kind, refreshToken)
  const row = token && (await find.first(db, { id: token.sessionUuid }))
  if (token === undefined || row === undefined) return undefined
  if (hostWorkspaceId !== undefined && hostWorkspaceId !== workspaceOf(row)) return undefined
  const decision = decideRefresh(keyring, rule, token, row, row.now)
  return decision === 'rejected' ? undefined : { row, decision, generation: token.generation }
}

/**
 * New tokens for a refresh token, by the rule in refresh-rotation.ts.
 * @throws Failure refresh_token_rejected, rate_limited, refresh_token_reused; the last one has
 *   ended the session
 */
export async function refreshTokens<Row extends RotatingSession & { id: string }, Tokens>(
  context: Counted & { db: Db; keyring: Keyring },
  refreshToken: string,
  kind: RefreshedKind<Row>,
  tokensOf: (row: Row) => Tokens,
  endReused: (row: Row) => Promise<never>,
): Promise<Tokens> {
  const { db, rateLimits, request } = context
  for (let round = 1; round <= ROUNDS; round += 1) {
    const found = await sessionOfToken(context, refreshToken, request.hostWorkspaceId, kind)
    if (found === undefined) break
    const { row, decision, generation } = found
    if (decision === 'reused') return endReused(row)
    if (round === 1) request.showLimit(await rateLimits.consume(kind.bucket, `session:${row.id}`))
    if (decision === 'repeat') return tokensOf(row)
    const rotated = await kind.rotate.first(db, { id: row.id, generation })
    if (rotated !== undefined) return tokensOf(rotated)
  }
  return rejectRefresh(context)
}
