/**
 * First start of an installation: stores the master key's fingerprint and creates an owner and a
 * workspace in one transaction. If several processes start on an empty database, one does it and
 * the others find it done.
 */
import { createKeyring } from '../../access/keyring.ts'
import type { PasswordHasher } from '../../access/passwords.ts'
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db } from '../../database/connect.ts'
import { serviceOrigin } from '../../events/event.ts'
import { createAccount } from '../accounts/account.ts'
import { createWorkspace } from '../workspaces/workspace.ts'
import * as store from './store.ts'

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
  workspace: { name: string; slug: string }
}

export interface Installation {
  masterKey: Buffer
  /** Set if this call created the owner. */
  owner: FirstOwner | undefined
}

/** The master key is missing, or is not the one the database was set up with. */
class MasterKeyRefused extends Error {
  override name = 'MasterKeyRefused'
}

const CURE =
  'Give back the first key (a copy of master.key in the data folder, or the MOORING_MASTER_KEY of ' +
  'the other processes): what was sealed with it can not be read with any other.'

const fingerprintOf = ({ key }: FoundKey): string => createKeyring(key).fingerprint()

function demandFitting(found: FoundKey | undefined, fingerprint: string): Buffer {
  const short = (text: string): string => text.slice(0, 8)
  if (found === undefined) {
    throw new MasterKeyRefused(
      `There is no master key here, and this database was set up with one ` +
        `(${short(fingerprint)}…). ${CURE}`,
    )
  }
  const given = fingerprintOf(found)
  if (given === fingerprint) return found.key
  throw new MasterKeyRefused(
    `The master key of ${found.place} (${short(given)}…) is not the one that this database was ` +
      `set up with (${short(fingerprint)}…). ${CURE}`,
  )
}

/**
 * The master key of an existing installation.
 * @throws MasterKeyRefused
 */
export async function demandMasterKey(db: Db, keys: Pick<MasterKeys, 'find'>): Promise<Buffer> {
  const fingerprint = await store.readFingerprint(db)
  if (fingerprint !== undefined) return demandFitting(keys.find(), fingerprint)
  throw new MasterKeyRefused('This database was not set up yet: start the service once.')
}

export interface SetUpServices {
  db: Db
  feed: ChangeFeed
  passwords: PasswordHasher
}

export interface SetUp {
  keys: MasterKeys
  owner: FirstOwner
  /** Called with the owner before the commit, so that the password cannot get lost. */
  keep: (owner: FirstOwner) => void
}

async function makeOwner(services: SetUpServices, owner: FirstOwner): Promise<void> {
  const { email, password, workspace } = owner
  const account = await createAccount(services, { email, password, name: 'Owner' })
  await createWorkspace(services, serviceOrigin, { ...workspace, ownerId: account.id })
}

/**
 * Sets the database up, unless done before.
 * @throws MasterKeyRefused if the key does not match, and any error of creating the owner
 */
export async function setUpInstallation(
  services: SetUpServices,
  { keys, owner, keep }: SetUp,
): Promise<Installation> {
  const known = await store.readFingerprint(services.db)
  if (known !== undefined) return { masterKey: demandFitting(keys.find(), known), owner: undefined }
  return services.db.transaction(async (trx) => {
    await store.lockInstallation(trx)
    const fingerprint = await store.readFingerprint(trx)
    if (fingerprint !== undefined) {
      return { masterKey: demandFitting(keys.find(), fingerprint), owner: undefined }
    }
    const found = keys.find() ?? keys.create()
    await store.insertFingerprint(trx, fingerprintOf(found))
    // Accounts already created on the command line make a generated owner unnecessary.
    if (await store.hasAccounts(trx)) return { masterKey: found.key, owner: undefined }
    keep(owner)
    await makeOwner({ ...services, db: trx }, owner)
    return { masterKey: found.key, owner }
  })
}
