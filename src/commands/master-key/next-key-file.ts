/**
 * The next master key: configured, or in a file that outlives a crash. A call may end after any
 * step, and the next call continues. Several calls may run at the same time.
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

/** The next key in its file, if another call has written and not yet moved it. */
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
  // If several calls run at the same time, the call that writes first chooses the key.
  if (kept === undefined) writePrivateFile(path, asText(key), { replace: false })
  const next = readKeyFile(path, say)?.key ?? key
  if (newMasterKey === undefined || next.equals(newMasterKey)) return next
  throw new CommandFailure(
    `${path} contains another key than MOORING_NEW_MASTER_KEY, from an interrupted call: run this ` +
      'without MOORING_NEW_MASTER_KEY, or remove that file first.',
  )
}

/** Removes the file of the next key, unless it contains another key by now. */
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

/** Replaces the file of the present key by the next key, unless another call has done so. */
export function moveKeyFiles(config: Config, present: Buffer, next: Buffer): void {
  if (readKeyFile(masterKeyFile(config), say)?.key.equals(present)) {
    keepEarlier(config, present)
    writePrivateFile(masterKeyFile(config), asText(next), { replace: true })
  }
  dropNextKey(config, next)
}
