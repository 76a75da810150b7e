/**
 * The identities that an account is linked to. Anyone who controls one signs in to the account: it
 * is linked only with a proof of both.
 */
import type { ProviderEntry } from '../../../adapters/oidc/port.ts'
import type { UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf, type Services } from '../../../context.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import { found } from '../../../platform/errors/errors.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { LinkedIdentity } from '../../common/linked-identity.ts'
import { rowView } from '../../common/row-view.ts'
import type { RowOf } from '../../../platform/database/sql.ts'
import { type AccountRow, recordOfAccount, lockToChange } from '../../identity/accounts/account.ts'
import { mailSecurityChange } from '../../identity/accounts/security-mail.ts'
import { requireProvenFactor } from '../../identity/mfa/second-factor.ts'
import { requireOrdinarySession } from '../../identity/sessions/ordinary-session.ts'
import { endSessionsOfUser } from '../../identity/sessions/session.ts'
import { addMember } from '../members/member.ts'
import { browserHashOf, rejected, type SsoServices } from './attempt.ts'
import type { Identities, LinkIdentity } from './schema.ts'
import * as store from './store.ts'

type Own = Context<UserCaller> & SsoServices
type LinkServices = Pick<Services, 'feed' | 'keyring'>

export interface LinkedSubject {
  provider: string
  issuer: string
  subject: string
  /** In canonical form, and verified by the provider. */
  email: string
}

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1)

/** Makes the account a member where the provider's entry says so, unless it is one. */
async function joinWorkspaces(
  { feed }: LinkServices,
  trx: Transaction,
  origin: Origin,
  userId: string,
  { joins = [] }: ProviderEntry,
  email: string,
): Promise<void> {
  for (const { domain, workspace: slug, role } of joins) {
    if (domain !== domainOf(email)) continue
    const row = await store.findWorkspace.first(trx, { slug, userId })
    if (row === undefined) continue
    await addMember({ db: trx, feed }, origin, { workspaceId: row.id, userId, role })
  }
}

/**
 * Links an identity to an account, in which it has been proved together with the account; and makes
 * the account a member of the workspaces of its domain. Only now: a member who is removed later
 * stays removed.
 * @returns false if it is linked to another account
 */
export async function linkSubject(
  services: LinkServices,
  trx: Transaction,
  origin: Origin,
  { id: userId, email: to }: Pick<AccountRow, 'id' | 'email'>,
  linked: LinkedSubject,
  entry: ProviderEntry | undefined,
): Promise<boolean> {
  const id = newUuid()
  if (!(await store.insertIdentity.any(trx, { id, userId, ...linked }))) return false
  const { provider, issuer, email } = linked
  await recordOfAccount(trx, origin, userId, 'identity.linked', {
    identity_id: formatId('idn', id),
    provider,
    issuer,
    email,
  })
  await mailSecurityChange(services, trx, origin, to, 'identity_linked')
  if (entry !== undefined) await joinWorkspaces(services, trx, origin, userId, entry, email)
  return true
}

async function lockOwnAccount(context: Own, trx: Transaction): Promise<AccountRow> {
  requireOrdinarySession(context, 'change how you sign in')
  const account = found(
    await lockToChange.first(trx, { id: context.caller.userId }),
    'credential_rejected',
  )
  await requireProvenFactor(trx, context.caller)
  return account
}

/**
 * Links the identity that this browser has proved before, now that its person has signed in to the
 * account.
 * @throws Failure sso_rejected, mfa_required, permission_denied
 */
export function linkIdentity(context: Own, { token }: LinkIdentity): Promise<void> {
  const { db, keyring, caller, identityProviders } = context
  const browserHash = browserHashOf(context)
  return db.transaction(async (trx) => {
    const account = await lockOwnAccount(context, trx)
    if (browserHash === undefined) throw rejected()
    const asked = { tokenHash: keyring.hashSecret(token), browserHash, userId: caller.userId }
    const taken = await store.takeLink.first(trx, asked)
    if (taken === undefined) throw rejected()
    const entry = identityProviders.find((each) => each.entry.name === taken.provider)?.entry
    if (!(await linkSubject(context, trx, originOf(context), account, taken, entry))) {
      throw rejected()
    }
  })
}

const viewOf = rowView<RowOf<typeof store.listIdentities>>()(LinkedIdentity)

export const identitiesOf = async (db: Db, userId: string): Promise<LinkedIdentity[]> =>
  (await store.listIdentities.rows(db, { userId })).map((row) => viewOf(row))

export const listIdentities = async ({ db, caller }: Own): Promise<Identities> => ({
  items: await identitiesOf(db, caller.userId),
})

/**
 * Unlinks an identity. Other sessions end: one of them may have been opened with it.
 * @throws Failure sso_identity_not_found, mfa_required, permission_denied
 */
export function unlinkIdentity(context: Own, id: string): Promise<void> {
  const { db, feed, caller } = context
  const { userId, sessionId } = caller
  return db.transaction(async (trx: Transaction) => {
    const account = await lockOwnAccount(context, trx)
    const row = found(
      await store.deleteIdentity.first(trx, { id, userId }),
      'sso_identity_not_found',
    )
    const origin = originOf(context)
    await endSessionsOfUser(feed, trx, userId, 'factor_changed', { own: sessionId, others: false })
    await recordOfAccount(trx, origin, userId, 'identity.unlinked', {
      identity_id: formatId('idn', id),
      ...row,
    })
    await mailSecurityChange(context, trx, origin, account.email, 'identity_unlinked')
  })
}

/**
 * Unlinks all identities of an account that passes to somebody else, or back to its person: a
 * person who controls one would still sign in.
 */
export async function dropIdentities(
  services: Pick<Services, 'keyring'>,
  trx: Db,
  origin: Origin,
  { id: userId, email: to }: Pick<AccountRow, 'id' | 'email'>,
): Promise<void> {
  const dropped = await store.deleteIdentities.rows(trx, { userId })
  for (const { id, ...identity } of dropped) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- there are rarely many
    await recordOfAccount(trx, origin, userId, 'identity.unlinked', {
      identity_id: formatId('idn', id),
      ...identity,
    })
  }
  if (dropped.length > 0) await mailSecurityChange(services, trx, origin, to, 'identity_unlinked')
}

/** The account of an identity, which is used now; undefined if it is linked to none. */
export const accountOfIdentity = async (
  db: Db,
  identity: Pick<LinkedSubject, 'issuer' | 'subject'>,
): Promise<string | undefined> => (await store.useIdentity.first(db, identity))?.user_id
