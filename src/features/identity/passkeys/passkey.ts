/**
 * The passkeys of an account. One of them signs in without a password, because the authenticator
 * verifies the person. So it counts as both factors.
 */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { ALGORITHMS, verifyNewCredential } from '../../../platform/access/webauthn.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import { type Context, originOf } from '../../../context.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found, withinLimit } from '../../../platform/errors/errors.ts'
import { formatId, newUuid, uuidToBytes } from '../../../platform/lib/ids.ts'
import type { AuditAction, Origin } from '../../../platform/record/event.ts'
import { changedFields } from '../../../platform/record/record.ts'
import { rowView } from '../../common/row-view.ts'
import { type AccountRow, findById, lockOwnAccount, recordOfAccount } from '../accounts/account.ts'
import { mailSecurityChange } from '../accounts/security-mail.ts'
import { FACTOR_FIRST, requireProvenFactor } from '../mfa/second-factor.ts'
import { requireOrdinarySession } from '../sessions/ordinary-session.ts'
import { endSessionsOfPasskey } from '../sessions/session.ts'
import { CHALLENGE_SECONDS, issueChallenge, readChallenge, useChallenge } from './challenge.ts'
import { NAME, requireRelyingParty } from './relying-party.ts'
import { type AddPasskey, type PasskeyCreation, PasskeyView } from './schema.ts'
import * as store from './store.ts'

/** The limit of one account. */
const MAX_PASSKEYS = 20

type Own = Context<UserCaller>

const viewOf = rowView<store.PasskeyRow>()(PasskeyView)

export const recordOfPasskey = (
  trx: Db,
  origin: Origin,
  userId: string,
  action: Extract<AuditAction, `passkey.${string}`>,
  id: string,
  more: Record<string, unknown> = {},
): Promise<void> =>
  recordOfAccount(trx, origin, userId, action, { passkey_id: formatId('pky', id), ...more })

export async function listPasskeys({ db, caller }: Own): Promise<{ items: PasskeyView[] }> {
  const rows = await store.listPasskeys.rows(db, { userId: caller.userId })
  return { items: rows.map(viewOf) }
}

export const countPasskeys = async (db: Db, userId: string): Promise<number> =>
  (await store.countPasskeys.one(db, { userId })).passkeys

/** The data of an account's passkeys that browsers need. */
export async function findDescriptors(db: Db, userId: string) {
  const rows = await store.findDescriptors.rows(db, { userId })
  return rows.map(({ credential_id: id, transports }) => ({
    type: 'public-key' as const,
    id: id.toString('base64url'),
    transports,
  }))
}

const use = ({ sessionId }: UserCaller) => ({ purpose: 'registration', sessionId }) as const

/** Others may have seen a password that the service made, or hold a session of their domain. */
async function requireOwner(context: Own): Promise<void> {
  const { db, caller } = context
  requireOrdinarySession(context, 'add a passkey')
  if (caller.mustChangePassword) throw new Failure('password_change_required')
  await requireProvenFactor(db, caller)
}

const requireRoom = (count: number): void =>
  withinLimit(count, 'passkeys', MAX_PASSKEYS, 'passkeys', 'An account has')

/**
 * The options with which the browser makes a passkey.
 * @throws Failure passkeys_unavailable, permission_denied, password_change_required, mfa_required,
 *   limit_reached
 */
export async function beginPasskey(context: Own): Promise<PasskeyCreation> {
  const { db, caller } = context
  const party = requireRelyingParty(context)
  await requireOwner(context)
  const account = found(await findById.first(db, { id: caller.userId }), 'credential_rejected')
  const present = await findDescriptors(db, account.id)
  requireRoom(present.length)
  return {
    rp: { id: party.id, name: NAME },
    // Authenticators keep the id, which must not identify the person.
    user: {
      id: uuidToBytes(account.id).toString('base64url'),
      name: account.email,
      displayName: account.name,
    },
    challenge: issueChallenge(context, use(caller)),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_SECONDS * 1000,
    attestation: 'none',
    excludeCredentials: present,
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
  }
}

const rejected = (): Failure => new Failure('passkey_rejected')

/**
 * Adds the passkey that the browser has made.
 * @throws Failure passkey_rejected, passkeys_unavailable, permission_denied,
 *   password_change_required, mfa_required, limit_reached
 */
export async function addPasskey(context: Own, input: AddPasskey): Promise<PasskeyView> {
  const { db, caller } = context
  const party = requireRelyingParty(context)
  const challenge = readChallenge(context, use(caller), input)
  const verified = challenge && (await verifyNewCredential(party, challenge.text, input))
  if (challenge === undefined || verified === undefined) throw rejected()
  return db.transaction(async (trx) => {
    const { id: userId, email } = await lockOwnAccount(trx, caller)
    await requireOwner({ ...context, db: trx })
    requireRoom(await countPasskeys(trx, userId))
    if (!(await useChallenge(trx, challenge))) throw rejected()
    const { name, transports } = input
    const values = { id: newUuid(), userId, ...verified, transports, name }
    const row = await store.insertPasskey.first(trx, values)
    if (row === undefined) throw rejected()
    const origin = originOf(context)
    await recordOfPasskey(trx, origin, userId, 'passkey.added', row.id, { name })
    await mailSecurityChange(context, trx, origin, email, 'passkey_added')
    return viewOf(row)
  })
}

/** @throws Failure passkey_not_found */
export async function renamePasskey(context: Own, id: string, name: string): Promise<PasskeyView> {
  const { db, caller } = context
  return db.transaction(async (trx) => {
    const { userId } = caller
    const row = found(
      await store.renamePasskey.first(trx, { id, userId, name }),
      'passkey_not_found',
    )
    const changes = changedFields({ name: row.former }, { name })
    await recordOfPasskey(trx, originOf(context), userId, 'passkey.renamed', id, changes)
    return viewOf(row)
  })
}

/**
 * Removes a passkey. The other sessions in which it was proved end; in the caller's own it no
 * longer counts.
 * @throws Failure passkey_not_found, mfa_required
 */
export async function removePasskey(context: Own, id: string): Promise<void> {
  const { db, feed, caller } = context
  const { userId, sessionId } = caller
  await db.transaction(async (trx) => {
    // First of all, as signing in does: a session that is opened meanwhile is seen, and ends.
    const account = await lockOwnAccount(trx, caller)
    await endSessionsOfPasskey(feed, trx, { userId, passkeyId: id, keep: sessionId })
    const removed = found(await store.deletePasskey.first(trx, { id, userId }), 'passkey_not_found')
    if (!caller.mfa) throw new Failure('mfa_required', { detail: FACTOR_FIRST })
    const origin = originOf(context)
    await recordOfPasskey(trx, origin, userId, 'passkey.removed', id, removed)
    await mailSecurityChange(context, trx, origin, account.email, 'passkey_removed')
  })
}

/** Removes all passkeys of an account whose sessions have ended, for its operator. */
export async function dropPasskeys(
  services: { keyring: Keyring; feed: ChangeFeed },
  trx: Db,
  origin: Origin,
  { id: userId, email }: Pick<AccountRow, 'id' | 'email'>,
): Promise<void> {
  const removed = await store.deletePasskeysOf.rows(trx, { userId })
  for (const { id, name } of removed) {
    await recordOfPasskey(trx, origin, userId, 'passkey.removed', id, { name })
  }
  if (removed.length === 0) return
  await services.feed.announce(trx, 'user', userId)
  await mailSecurityChange(services, trx, origin, email, 'passkeys_removed')
}
