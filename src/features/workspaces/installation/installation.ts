/**
 * First start of an installation: stores the master key's fingerprint and creates an owner and a
 * workspace in one transaction. If several processes start on an empty database, one does it and
 * the others find it done.
 */
import { createKeyring, onlyRoot, type RootKeys } from '../../../platform/access/keyring.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { type AccountRow, createAccount } from '../../identity/accounts/account.ts'
import { issueLink, newLinkToken } from '../../identity/one-time-links/one-time-link.ts'
import { createWorkspace } from '../lifecycle/workspace.ts'
import { fingerprintOf, decryptRootKeys, readStored, validMasterKeys } from './root-keys.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'

export interface FoundKey {
  /** 32 bytes. */
  key: Buffer
  /** Where it comes from, for messages. */
  place: string
}

export interface MasterKeys {
  /** The key that was configured or stored by an earlier start. */
  find(): FoundKey | undefined
  /** Creates a new key; it is durable when this returns. */
  create(): FoundKey
}

export interface FirstOwner {
  email: string
  password: string
  /** Whether the password was made by the service. */
  isInitial: boolean
  workspace: { name: string; slug: string }
}

/** The master key of an existing installation, and the root keys that it decrypts. */
export interface InstallationKeys {
  masterKey: Buffer
  roots: RootKeys
}

export interface Installation extends InstallationKeys {
  /** Set if this call created the owner. */
  owner: FirstOwner | undefined
  /** With it the owner can set up the account in the console; not for a password that was given. */
  setupToken?: string | undefined
}

/** The master key is missing, or is not the one the database was set up with. */
class MasterKeyRefused extends Error {
  override name = 'MasterKeyRefused'
}

const CURE =
  'Restore the first key (a copy of master.key in the data folder, or the MOORING_MASTER_KEY ' +
  'of the other processes): data encrypted with it cannot be decrypted with any other key.'
const CURE_IF_REPLACED =
  'The master key of this database has been replaced (`mooring master-key`): give the present one, ' +
  'which is in master.key in the data folder, or is the MOORING_MASTER_KEY of the other processes.'

const short = (fingerprint: string): string => `${fingerprint.slice(0, 8)}…`

/** @throws MasterKeyRefused if the key is not one that the database was set up with */
async function installationKeys(
  db: Db,
  found: FoundKey | undefined,
  first: string,
): Promise<InstallationKeys> {
  const stored = await readStored(db)
  const isReplaced = stored.rows.length > 0
  const valid = isReplaced ? validMasterKeys(stored) : [first]
  const wanted = valid.map(short).join(' or ')
  const cure = isReplaced ? CURE_IF_REPLACED : CURE
  if (found === undefined) {
    throw new MasterKeyRefused(
      `There is no master key here, and this database was set up with one (${wanted}). ${cure}`,
    )
  }
  const given = fingerprintOf(found.key)
  if (valid.includes(given)) {
    return { masterKey: found.key, roots: decryptRootKeys(found.key, stored) }
  }
  throw new MasterKeyRefused(
    `The master key of ${found.place} (${short(given)}) is not the one that this database was ` +
      `set up with (${wanted}). ${cure}`,
  )
}

/**
 * The keys of an existing installation.
 * @throws MasterKeyRefused
 */
export async function requireKeys(
  db: Db,
  keys: Pick<MasterKeys, 'find'>,
): Promise<InstallationKeys> {
  const fingerprint = await store.readFingerprint(db)
  if (fingerprint !== undefined) return installationKeys(db, keys.find(), fingerprint)
  throw new MasterKeyRefused('This database was not set up yet: start the service once.')
}

export type SetUpServices = Pick<Services, 'db' | 'feed' | 'passwords'>

export interface SetUp {
  keys: MasterKeys
  owner: FirstOwner
  /** Without a console nobody could open a link to its setup page. */
  hasConsole?: boolean
  /** Called with the owner before the commit, so that the password cannot get lost. */
  keep: (owner: FirstOwner, setupToken: string | undefined) => void
}

async function makeOwner(services: SetUpServices, owner: FirstOwner): Promise<AccountRow> {
  const { email, password, isInitial, workspace } = owner
  const account = await createAccount(services, {
    email,
    password,
    isInitial,
    name: 'Owner',
    workspaces: [workspace.name, workspace.slug],
  })
  await createWorkspace(services, serviceOrigin, { ...workspace, ownerId: account.id })
  return account
}

/**
 * Sets the database up, unless done before.
 * @throws MasterKeyRefused if the key does not match, and any error of creating the owner
 */
export async function setUpInstallation(
  services: SetUpServices,
  { keys, owner, hasConsole = false, keep }: SetUp,
): Promise<Installation> {
  const known = await store.readFingerprint(services.db)
  if (known !== undefined) {
    return { ...(await installationKeys(services.db, keys.find(), known)), owner: undefined }
  }
  return services.db.transaction(async (trx) => {
    await store.lockInstallation.run(trx)
    const fingerprint = await store.readFingerprint(trx)
    if (fingerprint !== undefined) {
      return { ...(await installationKeys(trx, keys.find(), fingerprint)), owner: undefined }
    }
    const found = keys.find() ?? keys.create()
    await store.insertFingerprint(trx, fingerprintOf(found.key))
    const fresh = { masterKey: found.key, roots: onlyRoot(found.key) }
    // Accounts already created on the command line make a generated owner unnecessary.
    if ((await store.hasAccounts.one(trx)).found) return { ...fresh, owner: undefined }
    const setupToken = owner.isInitial && hasConsole ? newLinkToken() : undefined
    keep(owner, setupToken)
    const account = await makeOwner({ ...services, db: trx }, owner)
    if (setupToken !== undefined) {
      const link = { purpose: 'setup', email: account.email, account } as const
      await issueLink(createKeyring(fresh.roots), trx, link, setupToken)
    }
    return { ...fresh, owner, setupToken }
  })
}
