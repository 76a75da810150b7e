/**
 * Signing in by an identity provider. An identity that is linked signs in to its account. Another
 * one is matched by its address, which the provider must have verified: without an account one may
 * be made; an account that is there must be proved by its own means first, unless the provider
 * decides who has the addresses of this domain.
 */
import { randomBytes } from 'node:crypto'
import type { ProviderEntry, ProvenIdentity } from '../../../adapters/oidc/port.ts'
import { canonicalEmail } from '../../../platform/access/email.ts'
import { originAs, originOf } from '../../../context.ts'
import type { Transaction } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { issueSecret, LINK_TOKEN_PREFIX } from '../../../platform/lib/secrets.ts'
import {
  type AccountRow,
  findByEmail,
  insertAccount,
  lockToChange,
  type PreparedAccount,
  prepareAccount,
  replacePassword,
} from '../../identity/accounts/account.ts'
import { openForBrowser } from '../../identity/console-sessions/console-session.ts'
import { CHALLENGE_SECONDS, openChallenge } from '../../identity/mfa/challenge.ts'
import { findMethods, hasAnyFactor, hasSecondFactor } from '../../identity/mfa/second-factor.ts'
import {
  ATTEMPT_SECONDS,
  type RedeemedAttempt,
  redeemAttempt,
  rejected,
  type SsoContext,
} from './attempt.ts'
import {
  accountOfIdentity,
  domainOf,
  dropIdentities,
  type LinkedSubject,
  linkSubject,
} from './identity.ts'
import type { FinishSso, SsoSession } from './schema.ts'
import * as store from './store.ts'

/** @throws Failure sso_address_refused unless it is verified, and of a domain of the entry */
function requireAddress({ domains, label }: ProviderEntry, identity: ProvenIdentity): string {
  const email = identity.isEmailVerified ? canonicalEmail(identity.email ?? '') : undefined
  if (email === undefined) {
    const detail = `${label} has not verified your e-mail address. Verify it there, and try again.`
    throw new Failure('sso_address_refused', { detail })
  }
  if (domains !== undefined && !domains.includes(domainOf(email))) {
    const known = domains.join(', ')
    const detail = `${label} signs in addresses of ${known} here, and yours is another one.`
    throw new Failure('sso_address_refused', { detail })
  }
  return email
}

interface SignIn extends RedeemedAttempt {
  linked: LinkedSubject
  /** For an account that is made, or whose password is replaced: nobody knows the password. */
  prepared: PreparedAccount
}

const provesFactor = ({ provider: { entry }, identity: { methods } }: SignIn): boolean =>
  methods.some((method) => entry.second_factor_amr?.includes(method) === true)

/** A session for the browser once it is committed, or the step to the second factor. */
async function open(
  context: SsoContext,
  trx: Transaction,
  { id, sign_in_version: version, status }: AccountRow,
  signIn: SignIn,
): Promise<() => SsoSession> {
  const { identity, stay, provider } = signIn
  if (status !== 'active') throw rejected()
  const mfa = provesFactor(signIn)
  if (!mfa && (await hasSecondFactor(trx, id))) {
    const challenge = { userId: id, version, limitedTo: null }
    const token = await openChallenge(context.keyring, trx, challenge)
    if (token === undefined) throw rejected()
    const mfa_methods = await findMethods(trx, context.keyring, id)
    const step = { mfa_required: true, mfa_token: token, mfa_methods, stay }
    return () => ({ ...step, expires_in: CHALLENGE_SECONDS })
  }
  const session = await openForBrowser(
    context,
    trx,
    originAs(context, id),
    {
      userId: id,
      version,
      mfa,
      authenticatedAt: (identity.authenticatedAt ?? 0) * 1_000,
      provider: provider.entry.name,
    },
    stay,
  )
  if (session === undefined) throw rejected()
  return session
}

/** A person who has to sign in to the account with this address first. */
async function askForProof(
  { keyring }: SsoContext,
  trx: Transaction,
  { id: userId }: AccountRow,
  { linked, browserHash }: SignIn,
): Promise<() => SsoSession> {
  const token = issueSecret(LINK_TOKEN_PREFIX)
  const tokenHash = keyring.hashSecret(token)
  await store.insertLink.run(trx, { tokenHash, browserHash, userId, ...linked })
  const { email } = linked
  return () => ({ link_token: token, email, expires_in: ATTEMPT_SECONDS })
}

/**
 * An account whose password somebody else may have chosen, before the owner of the address came:
 * the password is replaced, and its sessions end.
 */
async function takeOver(
  context: SsoContext,
  trx: Transaction,
  account: AccountRow,
  { linked, prepared, provider }: SignIn,
): Promise<AccountRow | undefined> {
  const { passwordHash } = prepared
  const origin = originAs(context, account.id)
  const keep = { own: null, others: false }
  await replacePassword(context, trx, origin, { account, passwordHash, isInitial: false, keep })
  await dropIdentities(context, trx, origin, account)
  if (!(await linkSubject(context, trx, origin, account, linked, provider.entry))) return undefined
  return lockToChange.first(trx, { id: account.id })
}

/** @throws Failure registration_closed */
async function create(
  context: SsoContext,
  trx: Transaction,
  { linked, prepared, provider: { entry } }: SignIn,
): Promise<AccountRow | undefined> {
  const joins = entry.joins?.some(({ domain }) => domain === domainOf(linked.email)) === true
  if (!joins && context.webConsole.registration !== 'open') {
    throw new Failure('registration_closed', {
      detail: `${linked.email} has no account yet: ask a colleague to invite it to a workspace.`,
    })
  }
  const account = await insertAccount(trx, originOf(context), prepared)
  if (account === undefined) return undefined
  const origin = originAs(context, account.id)
  return (await linkSubject(context, trx, origin, account, linked, entry)) ? account : undefined
}

/** @returns undefined if another request was faster, whose result is there now */
async function match(
  context: SsoContext,
  trx: Transaction,
  signIn: SignIn,
): Promise<(() => SsoSession) | undefined> {
  const { linked, provider } = signIn
  const known = await accountOfIdentity(trx, linked)
  if (known !== undefined) {
    const account = await lockToChange.first(trx, { id: known })
    return account && open(context, trx, account, signIn)
  }
  const id = (await findByEmail.first(trx, { email: linked.email }))?.id
  const present = id === undefined ? undefined : await lockToChange.first(trx, { id })
  if (present === undefined) {
    const made = await create(context, trx, signIn)
    return made && open(context, trx, made, signIn)
  }
  const { is_authoritative: decides = false, domains } = provider.entry
  if (!decides || domains === undefined || (await hasAnyFactor(trx, present.id))) {
    return askForProof(context, trx, present, signIn)
  }
  if (present.status !== 'active') throw rejected()
  const taken = await takeOver(context, trx, present, signIn)
  return taken && open(context, trx, taken, signIn)
}

/** All but the first are lost to a request that has made or linked the same account meanwhile. */
const ROUNDS = 3

/**
 * @throws Failure sso_provider_not_found, sso_provider_unavailable, sso_rejected,
 *   sso_address_refused, registration_closed
 */
export async function finishSso(context: SsoContext, input: FinishSso): Promise<SsoSession> {
  const redeemed = await redeemAttempt(context, input)
  const { provider, identity } = redeemed
  const { issuer, subject, name = '' } = identity
  const email = requireAddress(provider.entry, identity)
  const password = randomBytes(32).toString('hex')
  const account = { email, name: name.slice(0, 120).replaceAll(/\p{C}/gu, ' '), password }
  const prepared = await prepareAccount(context.passwords, account)
  const linked = { provider: provider.entry.name, issuer, subject, email }
  const signIn: SignIn = { ...redeemed, linked, prepared }
  for (let round = 1; round <= ROUNDS; round += 1) {
    // A round that has lost leaves nothing behind.
    const finish = await context.db
      .transaction(
        async (trx) => (await match(context, trx, signIn)) ?? Promise.reject(new Raced()),
      )
      .catch((error: unknown) => {
        if (error instanceof Raced) return undefined
        throw error
      })
    if (finish !== undefined) return finish()
  }
  throw rejected()
}

class Raced extends Error {
  override name = 'Raced'
}
