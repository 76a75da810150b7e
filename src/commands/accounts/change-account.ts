/** Implements `mooring accounts disable`, `enable`, `set-email`, `reset-password` and `delete`. */
import { keepsPasswords } from '../../adapters/broker/kinds.ts'
import { openBrokersFile } from '../../app/brokers-file.ts'
import { canonicalEmail } from '../../platform/access/email.ts'
import { createPasswordHasher } from '../../platform/access/passwords.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Db } from '../../platform/database/connect.ts'
import { serviceOrigin } from '../../platform/record/event.ts'
import {
  requireNewPassword,
  disableAccount,
  enableAccount,
  findByEmail,
  type InstallationRole,
  lockToChange,
  replacePassword,
  setInstallationRole,
  type SignInRow,
} from '../../features/identity/accounts/account.ts'
import { replaceAddress } from '../../features/identity/address-proofs/email-change.ts'
import { eraseWithMemberships } from '../../features/workspaces/member-changes/account-deletion.ts'
import { aftermathOf, removeFactors } from '../../features/operator/accounts/account-change.ts'
import type { DisabledAccount } from '../../features/operator/accounts/schema.ts'
import { dropIdentities } from '../../features/team/single-sign-on/identity.ts'
import { CommandFailure } from '../command.ts'
import { makePassword } from '../serve/preflight.ts'
import { type Session, withInstallation } from '../installation/session.ts'

const names = { '/password': 'The password' }

async function requireAccount(db: Db, address: string): Promise<SignInRow> {
  const email = canonicalEmail(address)
  const row = email === undefined ? undefined : await findByEmail.first(db, { email })
  if (row === undefined) throw new CommandFailure('There is no account with this address.')
  return row
}

const withAccount = <T>(
  address: string,
  work: (session: Session, account: SignInRow) => Promise<T>,
): Promise<T> =>
  withInstallation(names, async (session) =>
    work(session, await requireAccount(session.db, address)),
  )

export const disableByEmail = (address: string): Promise<DisabledAccount> =>
  withAccount(address, async ({ db, feed }, { id }) => {
    await disableAccount({ db, feed }, id)
    return aftermathOf(db, id)
  })

export const replaceRole = (address: string, role: InstallationRole): Promise<void> =>
  withAccount(address, ({ db, feed }, { id }) => setInstallationRole({ db, feed }, id, role))

/** @throws CommandFailure if the address is taken or not valid */
export const replaceEmail = (address: string, to: string): Promise<void> =>
  withInstallation(names, async ({ db, keyring: makeKeyring }) => {
    const email = canonicalEmail(to)
    if (email === undefined) throw new CommandFailure('--to must be a plain e-mail address.')
    const { id } = await requireAccount(db, address)
    const keyring = await makeKeyring()
    await db.transaction(async (trx) => {
      const account = await lockToChange.first(trx, { id })
      if (account === undefined) throw new CommandFailure('There is no account with this address.')
      if (account.email === email) return
      await replaceAddress({ keyring }, trx, serviceOrigin, account, email)
      await dropIdentities({ keyring }, trx, serviceOrigin, { id, email })
    })
  })

export const enableByEmail = (address: string): Promise<void> =>
  withAccount(address, ({ db }, { id }) => enableAccount({ db }, id))

/**
 * @param given undefined: a password is generated
 * @returns the password
 */
export const resetByEmail = (
  address: string,
  given: string | undefined,
  removeAuthenticator: boolean,
): Promise<string> =>
  withAccount(address, async ({ db, feed, keyring: makeKeyring }, found) => {
    const password = given ?? makePassword()
    const { id } = found
    const mfa = found.mfa && !removeAuthenticator
    await requireNewPassword(db, { ...found, mfa }, '/password', password)
    const keyring = await makeKeyring()
    const passwordHash = await createPasswordHasher().hash(password)
    await db.transaction(async (trx) => {
      const account = await lockToChange.first(trx, { id })
      if (account === undefined) throw new CommandFailure('There is no account with this address.')
      const change = {
        account,
        passwordHash,
        isInitial: given === undefined,
        keep: { own: null, others: false },
      }
      await replacePassword({ feed, keyring }, trx, serviceOrigin, change)
      if (removeAuthenticator) await removeFactors({ keyring, feed }, trx, serviceOrigin, account)
    })
    return password
  })

/** @throws CommandFailure if there is no such account, or it is the only owner of a workspace */
export const deleteByEmail = (address: string): Promise<void> =>
  withAccount(address, async (session, { id: userId, email: confirm }) => {
    const { db, feed, clock, keyring: makeKeyring } = session
    const file = openBrokersFile(readConfig().brokersFile, () => {})
    const mqttBrokers = () =>
      file.present().map(({ name, kind }) => ({
        name,
        kind,
        boundSeconds: undefined,
        keepsPasswords: keepsPasswords({ kind }),
        endpoints: [],
      }))
    const services = { db, feed, clock, keyring: await makeKeyring(), mqttBrokers }
    await eraseWithMemberships(services, { userId, confirm, by: serviceOrigin })
  })
