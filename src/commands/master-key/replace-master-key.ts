/** Implements `mooring master-key`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyring } from '../../platform/access/keyring.ts'
import { readConfig } from '../../platform/config/config.ts'
import { renewChains } from '../../features/audit/log/audit-log-renewal.ts'
import { reencryptColumn } from '../../features/workspaces/installation/re-encryption.ts'
import {
  beginReplacement,
  countLiveNodes,
  countOlderSessions,
  fingerprintOf,
  readStored,
  refuseOlderSessions,
  retireOtherKeys,
  secondsUntilActive,
  validMasterKeys,
} from '../../features/workspaces/installation/root-keys.ts'
import { issuers, SigningKeys } from '../../features/identity/signing-keys/signing-key.ts'
import { CommandFailure, say } from '../command.ts'
import { earlierKeyFile, masterKeyFile } from '../installation/master-keys.ts'
import { dropNextKey, keepNextKey, moveKeyFiles, readNextKey } from './next-key-file.ts'
import { encryptedColumns } from './encrypted-columns.ts'
import { type Session, withInstallation } from '../installation/session.ts'

const names = {}
const short = (fingerprint: string): string => `${fingerprint.slice(0, 8)}…`
const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

const IN_FLIGHT =
  'A replacement is in progress. Start every process with the newer key, then run `mooring ' +
  'master-key finish`. To cancel it instead, start every process with the earlier key, then ' +
  'run `mooring master-key finish --give-up` with it.'

/**
 * Requires the right one of two keys, which are easily confused: people delete the key that is no
 * longer valid, and a key that was deleted by mistake leaves its data unreadable.
 */
function requireIntended(own: string, valid: readonly string[], giveUp = false): void {
  const isNewest = valid.at(-1) === own
  if (!isNewest && !giveUp) {
    throw new CommandFailure(
      `The configured key (${short(own)}) is the earlier one, and finishing with it would make ` +
        `the newer one (${short(valid.at(-1) ?? '')}) invalid. Run this with the newer key, or ` +
        'with --give-up to keep the earlier one.',
    )
  }
  if (isNewest && giveUp && valid.length > 1) {
    throw new CommandFailure(
      `The configured key (${short(own)}) is the newer one: run this with the earlier key.`,
    )
  }
}

/** @returns what to do next */
export const replaceMasterKey = (): Promise<string> =>
  withInstallation(names, async (session) => {
    const { db, keys } = session
    const config = readConfig()
    const { masterKey } = await keys()
    const valid = validMasterKeys(await readStored(db))
    const { newMasterKey } = config
    const isGiven = newMasterKey !== undefined && valid.includes(fingerprintOf(newMasterKey))
    const pending = readNextKey(config, masterKey)
    const isLeftToMove = pending !== undefined && valid.includes(fingerprintOf(pending))
    if (valid.length > 1 && !isLeftToMove && !isGiven) throw new CommandFailure(IN_FLIGHT)
    // A build without root keys would refuse tokens that are signed with the new one.
    if (valid.length < 2) await requireNoOthers(session, fingerprintOf(masterKey))
    const next = keepNextKey(config, masterKey, pending)
    if ((await beginReplacement(db, masterKey, next)) === undefined) {
      dropNextKey(config, next)
      throw new CommandFailure(IN_FLIGHT)
    }
    if (config.masterKey !== undefined) {
      return (
        'Both keys are valid now. Restart every process with the new one as ' +
        'MOORING_MASTER_KEY, then run `mooring master-key finish` with it.'
      )
    }
    moveKeyFiles(config, masterKey, next)
    return (
      `The new key is in ${masterKeyFile(config)}, the one before in ${earlierKeyFile(config)}; ` +
      'both are valid now. Keep a copy of the new one. Restart every process with it, then ' +
      'run `mooring master-key finish`.'
    )
  })

async function requireNoOthers({ db }: Session, own: string): Promise<number> {
  const { all, others } = await countLiveNodes.one(db, { masterKey: own })
  if (others === 0) return all
  throw new CommandFailure(
    `${plural(others, 'process', 'processes')} of ${all} did not start with this master key ` +
      `(${short(own)}), or run a build before 0.5.0: restart them with the key and with the current ` +
      'build, then run this again. An ended process disappears from the list after 15 seconds.',
  )
}

/** Longer than a process takes to learn that a root key is in use. */
const MARGIN_S = 10

async function awaitNewestRoot({ db }: Session, isRunning: boolean): Promise<void> {
  const seconds = (await secondsUntilActive(db)) + (isRunning ? MARGIN_S : 0)
  if (seconds === 0) return
  say(`Waiting ${plural(seconds, 'second')} until every process uses the new root key.`)
  await sleep(seconds * 1_000)
}

/** Prints the progress of long work, once a second. */
function progressOf(what: string): (count: number) => void {
  let saidAt = performance.now()
  return (count) => {
    if (performance.now() < saidAt + 1_000) return
    saidAt = performance.now()
    say(`${what}: ${count} so far`)
  }
}

/** @returns the number of values that stay unchanged, and the root key of all others */
async function renewAll({ db, keys }: Session): Promise<{ left: number; renewed: number }> {
  const services = { db, keyring: createKeyring((await keys()).roots) }
  let left = 0
  for (const column of encryptedColumns) {
    const what = `${column.table}.${column.column}`
    const progress = progressOf(what)
    const { reencrypted, unreadable } = await reencryptColumn(services, column, (done) =>
      progress(done.reencrypted),
    )
    if (reencrypted > 0) say(`${what}: ${reencrypted} encrypted again`)
    if (unreadable > 0) say(`${what}: ${unreadable} cannot be decrypted, and stay unchanged`)
    left += unreadable
  }
  const progress = progressOf('chains of audit logs')
  const { chains, broken } = await renewChains(services, (done) => progress(done.chains))
  say(`chains of audit logs: ${chains} signed again`)
  if (broken > 0) say(`chains of audit logs: ${broken} are broken, and stay unchanged`)
  return { left: left + broken, renewed: services.keyring.currentRoot() }
}

/** Replaces both keys of each issuer, since the earlier root key encrypted the previous ones. */
async function replaceSigningKeys({ db, keyring }: Session): Promise<void> {
  const signingKeys = new SigningKeys({ db, keyring: await keyring() })
  for (const issuer of issuers) {
    for (const _active of ['now', 'next']) await signingKeys.rotate(issuer)
  }
  say('Signing keys: replaced. Tokens signed with the previous keys are valid for an hour.')
}

async function warnOlderSessions(session: Session, refuse = false): Promise<void> {
  if (refuse) {
    await refuseOlderSessions(session.db, (await session.keys()).masterKey)
    return say('Sessions that were not refreshed since the replacement are refused from now on.')
  }
  const { people, phones } = await countOlderSessions.one(session.db)
  if (people + phones === 0) return
  say(
    `${plural(people, 'session')} of people and ${phones} of phones were not refreshed since the ` +
      'replacement, and their refresh tokens depend on the earlier key. They stay valid ' +
      'unless you run `mooring master-key finish --refuse-older-sessions`: then those users ' +
      'must sign in again, and those phones lose their identity.',
  )
}

export interface FinishOptions {
  /** Keeps the earlier key, and gives up the newer one. */
  giveUp?: true
  refuseOlderSessions?: true
  replaceSigningKeys?: true
}

export const finishReplacement = (options: FinishOptions): Promise<void> =>
  withInstallation(names, async (session) => {
    const { db, keys } = session
    const { masterKey } = await keys()
    const own = fingerprintOf(masterKey)
    const stored = await readStored(db)
    if (stored.rows.length === 0) {
      return say('The master key was never replaced: there is nothing to finish.')
    }
    requireIntended(own, validMasterKeys(stored), options.giveUp)
    const running = await requireNoOthers(session, own)
    await awaitNewestRoot(session, running > 0)
    const { left, renewed } = await renewAll(session)
    await requireNoOthers(session, own)
    await retireOtherKeys(db, masterKey, renewed)
    if (options.replaceSigningKeys) await replaceSigningKeys(session)
    say(`The only valid master key is the configured one (${short(own)}).`)
    if (left > 0) say('Data that could not be re-encrypted was changed or damaged before.')
    await warnOlderSessions(session, options.refuseOlderSessions)
  })

/** Fingerprints of the configured key (`own`) and of all valid keys, the newest last. */
export const masterKeyState = () =>
  withInstallation(names, async ({ db, keys }) => {
    const { masterKey, roots } = await keys()
    const own = fingerprintOf(masterKey)
    const stored = await readStored(db)
    const isReplaced = stored.rows.length > 0
    return {
      own,
      valid: isReplaced ? validMasterKeys(stored) : [own],
      rootKeys: roots.keys.length,
      processes: await countLiveNodes.one(db, { masterKey: own }),
      olderSessions: isReplaced ? await countOlderSessions.one(db) : { people: 0, phones: 0 },
    }
  })
