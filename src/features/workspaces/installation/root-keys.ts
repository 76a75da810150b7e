/**
 * Root keys, from which all keys of the service are derived. At first the master key is the only
 * one and nothing is stored. Replacing it adds a root key and stores all of them, encrypted under
 * each master key that is valid; both are until the replacement is finished, so that processes can
 * be restarted one by one.
 */
import { randomBytes } from 'node:crypto'
import {
  createKeyring,
  MASTER_KEY_BYTES,
  MAX_ROOT_KEYS,
  onlyRoot,
  type RenewableKeyring,
  type RenewedUse,
  type RootKeys,
} from '../../../platform/access/keyring.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import { INSTALLATION, serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import * as store from './root-key-store.ts'
import { lockInstallation } from './store.ts'
import type { Services } from '../../../context.ts'
import { columnsOf } from '../../../platform/database/sql.ts'

const FIRST = 1
const nameOf = (number: number): string => `root_keys:${number}`

/** 32 hex digits that identify a master key. */
export const fingerprintOf = (masterKey: Buffer): string => createKeyring(masterKey).fingerprint()

/** The stored data of root keys; without rows the master key was never replaced. */
export interface StoredRootKeys {
  rows: store.RootKeyRow[]
  oldest: Partial<Record<RenewedUse, number>>
}

export async function readStored(db: Db): Promise<StoredRootKeys> {
  const rows = await store.readRootKeys.rows(db)
  const oldest = await store.readOldestRoots.rows(db)
  return { rows, oldest: Object.fromEntries(oldest.map(({ use, number }) => [use, number])) }
}

/** Fingerprints of the valid master keys, in the order in which they came. */
export const validMasterKeys = ({ rows }: StoredRootKeys): string[] => [
  ...new Set(rows.map(({ master_key }) => master_key)),
]

/**
 * The root keys, decrypted with a valid master key.
 * @throws Error if one was altered
 */
export function decryptRootKeys(masterKey: Buffer, { rows, oldest }: StoredRootKeys): RootKeys {
  const only = onlyRoot(masterKey)
  if (rows.length === 0) return only
  const keyring = createKeyring(masterKey)
  const own = rows.filter(({ master_key }) => master_key === keyring.fingerprint())
  const keys = own.map(({ number, sealed }) => {
    const key = keyring.decrypt(sealed, nameOf(number))
    if (key === undefined) throw new Error(`the root key ${number} in the database was altered`)
    return key
  })
  const active = own.filter(({ is_active }) => is_active).map(({ number }) => number)
  return { keys, current: Math.max(FIRST, ...active), oldest: { ...only.oldest, ...oldest } }
}

/** A process or a command was started with a master key that has been replaced meanwhile. */
class MasterKeyReplaced extends Error {
  override name = 'MasterKeyReplaced'
}

function requireValid(stored: StoredRootKeys, fingerprint: string): void {
  if (stored.rows.length === 0 || validMasterKeys(stored).includes(fingerprint)) return
  throw new MasterKeyReplaced(
    'the master key that this process was started with has been replaced: start it again ' +
      'with the present one',
  )
}

export interface RootKeyWatch {
  /**
   * Learns root keys that were added.
   * @throws MasterKeyReplaced
   */
  refresh: () => Promise<void>
}

interface Watching extends Pick<Services, 'db' | 'nodeId'> {
  keyring: RenewableKeyring
  masterKey: Buffer
}

export function createRootKeyWatch({ db, keyring, masterKey, nodeId }: Watching): RootKeyWatch {
  const own = fingerprintOf(masterKey)
  return {
    async refresh() {
      await store.noteMasterKey.run(db, { id: nodeId, masterKey: own })
      const stored = await readStored(db)
      if (stored.rows.length === 0) return
      requireValid(stored, own)
      keyring.renew(decryptRootKeys(masterKey, stored))
    },
  }
}

/** Seconds that running processes get to learn of a root key before any of them uses it. */
const LEARNING_S = 30

export interface Replacement {
  /** Whether this call began it, or a former one. */
  isNew: boolean
  /** Seconds until the new root key is used. */
  after: number
}

const encryptAll = (
  masterKey: Buffer,
  keys: readonly Buffer[],
  [before, newest]: readonly [number | null, number],
): store.NewRootKey[] => {
  const encrypter = createKeyring(masterKey)
  return keys.map((key, index) => ({
    number: index + 1,
    sealed: encrypter.encrypt(key, nameOf(index + 1)),
    after: index + 1 === keys.length ? newest : before,
  }))
}

const recordEvent = (
  trx: Transaction,
  action: 'master_key.replaced' | 'master_key.retired',
  id: string,
) =>
  record(trx, serviceOrigin, {
    workspaceId: INSTALLATION,
    action,
    resource: { kind: 'master_key', id },
  })

/**
 * Makes a second master key valid, and adds a root key, encrypted with each of the two master keys:
 * reading it takes one of them and the database from after this change. Of concurrent calls one
 * makes the change.
 * @returns undefined if a replacement by another key is in progress
 * @throws MasterKeyReplaced
 */
export function beginReplacement(
  db: Db,
  masterKey: Buffer,
  next: Buffer,
): Promise<Replacement | undefined> {
  return db.transaction(async (trx) => {
    await lockInstallation.run(trx)
    const stored = await readStored(trx)
    const [own, other] = [fingerprintOf(masterKey), fingerprintOf(next)]
    requireValid(stored, own)
    const valid = validMasterKeys(stored)
    if (valid.length > 1) return valid.includes(other) ? { isNew: false, after: 0 } : undefined
    const { keys } = decryptRootKeys(masterKey, stored)
    if (keys.length === MAX_ROOT_KEYS) throw new RangeError('there are no more root keys')
    const all = [...keys, randomBytes(MASTER_KEY_BYTES)]
    const { all: running } = await store.countLiveNodes.one(trx, { masterKey: own })
    const after = running === 0 ? 0 : LEARNING_S
    const known = stored.rows.map(({ number }) => number)
    const missing = encryptAll(masterKey, all, [null, after]).filter(
      (row) => !known.includes(row.number),
    )
    const offered = encryptAll(next, all, [0, after])
    await store.insertRootKeys.run(trx, { ...columnsOf(missing), masterKey: own })
    await store.insertRootKeys.run(trx, { ...columnsOf(offered), masterKey: other })
    await recordEvent(trx, 'master_key.replaced', other)
    return { isNew: true, after }
  })
}

/**
 * Makes a master key the only valid one, and refuses audit MACs of earlier root keys.
 * @param renewed number of the root key that everything was encrypted and signed with
 * @throws MasterKeyReplaced
 * @throws Error if another replacement began meanwhile
 */
export function retireOtherKeys(db: Db, masterKey: Buffer, renewed: number): Promise<void> {
  return db.transaction(async (trx) => {
    await lockInstallation.run(trx)
    const stored = await readStored(trx)
    const own = fingerprintOf(masterKey)
    requireValid(stored, own)
    const others = validMasterKeys(stored).filter((each) => each !== own)
    if (others.length === 0) return
    if (decryptRootKeys(masterKey, stored).keys.length !== renewed) {
      throw new Error('another replacement of the master key began meanwhile')
    }
    await store.removeOtherSlots.run(trx, { masterKey: own })
    await store.writeOldestRoot.run(trx, { use: 'audit', number: renewed })
    for (const each of others) await recordEvent(trx, 'master_key.retired', each)
  })
}

/** Refuses tokens of sessions that were not refreshed since the newest root key is in use. */
export function refuseOlderSessions(db: Db, masterKey: Buffer): Promise<void> {
  return db.transaction(async (trx) => {
    await lockInstallation.run(trx)
    const stored = await readStored(trx)
    requireValid(stored, fingerprintOf(masterKey))
    const { current } = decryptRootKeys(masterKey, stored)
    await store.writeOldestRoot.run(trx, { use: 'session', number: current })
  })
}

export { countLiveNodes, countOlderSessions, secondsUntilActive } from './root-key-store.ts'
