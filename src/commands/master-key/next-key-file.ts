/**
 * The key that is to follow the present master key: given, or in a file that outlives a crash. Any
 * step may be the last one of a call, and the next call continues; of calls at once each may do
 * all.
 */
import { randomBytes } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { MASTER_KEY_BYTES } from '../../platform/access/keyring.ts'
import type { Config } from '../../platform/config/config.ts'
import { fingerprintOf } from '../../features/workspaces/installation/root-keys.ts'
import { CommandFailure, say } from '../command.ts'
import {
  earlierKeyFile,
  masterKeyFile,
  nextKeyFile,
  readKeyFile,
} from '../installation/master-keys.ts'
import { writePrivateFile } from '../installation/private-file.ts'

const asText = (key: Buffer): string => `${key.toString('base64')}\n`

/** The key that a former call, or one alongside this, has kept and not moved yet. */
export function readNextKey(config: Config, present: Buffer): Buffer | undefined {
  if (config.masterKey !== undefined) return undefined
  const kept = readKeyFile(nextKeyFile(config), say)?.key
  if (kept === undefined || !kept.equals(present)) return kept
  rmSync(nextKeyFile(config), { force: true })
  return undefined
}

/**
 * @param kept what `readNextKey` found
 * @throws CommandFailure if the next key is not the given one, or none is given alongside a present
 *   one in the environment
 */
export function keepNextKey(config: Config, present: Buffer, kept: Buffer | undefined): Buffer {
  const { newMasterKey } = config
  if (newMasterKey?.equals(present))
    throw new CommandFailure('The next key is the same as the current one.')
  if (config.masterKey !== undefined) {
    if (newMasterKey !== undefined) return newMasterKey
    throw new CommandFailure(
      'The current key is in MOORING_MASTER_KEY, so set the next one in ' +
        'MOORING_NEW_MASTER_KEY. This generates one: openssl rand -base64 32',
    )
  }
  const path = nextKeyFile(config)
  const key = kept ?? newMasterKey ?? randomBytes(MASTER_KEY_BYTES)
  // Of calls at once, the one that writes first chooses the key.
  if (kept === undefined) writePrivateFile(path, asText(key), { replace: false })
  const next = readKeyFile(path, say)?.key ?? key
  if (newMasterKey === undefined || next.equals(newMasterKey)) return next
  throw new CommandFailure(
    `${path} contains another key than MOORING_NEW_MASTER_KEY, from an interrupted call: run this ` +
      'without MOORING_NEW_MASTER_KEY, or remove that file first.',
  )
}

/** Forgets a key that will not follow. */
export function dropNextKey(config: Config, next: Buffer): void {
  if (config.masterKey !== undefined) return
  const path = nextKeyFile(config)
  if (readKeyFile(path, say)?.key.equals(next)) rmSync(path, { force: true })
}

/** Backups need each key that they were made with, not only the last one. */
function keepEarlier(config: Config, present: Buffer): void {
  const path = earlierKeyFile(config)
  const kept = readKeyFile(path, say)?.key
  if (kept?.equals(present)) return
  if (kept !== undefined) renameSync(path, `${path}.${fingerprintOf(kept).slice(0, 8)}`)
  writePrivateFile(path, asText(present), { replace: true })
}

/** Puts the next key into the place of the present one, unless another call was faster. */
export function moveKeyFiles(config: Config, present: Buffer, next: Buffer): void {
  if (readKeyFile(masterKeyFile(config), say)?.key.equals(present)) {
    keepEarlier(config, present)
    writePrivateFile(masterKeyFile(config), asText(next), { replace: true })
  }
  dropNextKey(config, next)
}
