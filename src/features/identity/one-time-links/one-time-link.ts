/**
 * Links that people get by mail, or from the first start, and that work once. The token is in the
 * fragment of the link, which browsers do not send to servers; the database has its hash only.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { WebConsole } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { found } from '../../../platform/errors/errors.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { hasGoodChecksum, issueSecret, LINK_TOKEN_PREFIX } from '../../../platform/lib/secrets.ts'
import { DAY_S, HOUR_S } from '../../../platform/lib/time.ts'
import * as store from './store.ts'

export type { LinkRow } from './store.ts'

export type LinkPurpose = 'setup' | 'registration' | 'password_reset' | 'email_change'

/** Null: until it is used. */
const lifetimes: Readonly<Record<LinkPurpose, number | null>> = {
  setup: null,
  registration: DAY_S,
  password_reset: HOUR_S,
  email_change: DAY_S,
}

const pages: Readonly<Record<LinkPurpose, string>> = {
  setup: 'setup',
  registration: 'verify',
  password_reset: 'reset',
  email_change: 'email',
}

/** Mails of one purpose to an address in an hour: it may be the address of someone else. */
export const MAX_AN_HOUR = 5

export interface NewLink {
  purpose: LinkPurpose
  /** In canonical form. */
  email: string
  /** The account that it is about; null for a registration. */
  account: { id: string; sign_in_version: number } | null
  /** The mail only says why there is no link; it counts like one that has a link. */
  isNotice?: boolean
}

export const urlOf = ({ url }: Pick<WebConsole, 'url'>, purpose: LinkPurpose, token: string) =>
  `${url()}/${pages[purpose]}#token=${token}`

export const newLinkToken = (): string => issueSecret(LINK_TOKEN_PREFIX)

/**
 * @param token made earlier, if it had to be kept before
 * @returns the token; undefined if the address has been sent too many
 */
export async function issueLink(
  keyring: Pick<Keyring, 'hashSecret'>,
  trx: Db,
  { purpose, email, account, isNotice = false }: NewLink,
  token: string = newLinkToken(),
): Promise<string | undefined> {
  await store.lockAddress.run(trx, { email })
  const isInserted = await store.insertLink.any(trx, {
    id: newUuid(),
    purpose,
    tokenHash: keyring.hashSecret(token),
    email,
    userId: account?.id ?? null,
    version: account?.sign_in_version ?? null,
    lifetimeSeconds: lifetimes[purpose],
    isNotice,
    max: MAX_AN_HOUR,
  })
  return isInserted ? token : undefined
}

const openedBy =
  (statement: typeof store.findOpenLink | typeof store.useOpenLink) =>
  async (
    token: string,
    keyring: Pick<Keyring, 'hashSecret'>,
    db: Db,
    purpose: LinkPurpose,
  ): Promise<store.LinkRow> => {
    const isWellFormed = hasGoodChecksum(LINK_TOKEN_PREFIX, token)
    const given = { purpose, tokenHash: keyring.hashSecret(token) }
    return found(isWellFormed ? await statement.first(db, given) : undefined, 'link_not_found')
  }

/**
 * Finds a link before the expensive part of using it.
 * @throws Failure link_not_found if it is unknown, used or expired
 */
export const requireLink = openedBy(store.findOpenLink)

/**
 * Uses a link, in the transaction of its effect.
 * @throws Failure link_not_found, also if another request was faster
 */
export const useLink = openedBy(store.useOpenLink)

/** Whether the link that the first start printed can still be used. */
export const isSetupOpen = (db: Db): Promise<boolean> => store.openSetup.any(db)

/** Whether somebody has used it. */
export const isSetupUsed = (db: Db): Promise<boolean> => store.usedSetup.any(db)

/** Deletes links that nobody can use any more. */
export const deleteOldLinks = (db: Db): Promise<void> => store.deleteOldLinks.run(db)
