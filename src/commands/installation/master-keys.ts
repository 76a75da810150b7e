/** Finds the master key: in the environment, or in a file in the data folder. */
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { MASTER_KEY_BYTES } from '../../platform/access/keyring.ts'
import { readKey } from '../../platform/config/kinds.ts'
import type { Config } from '../../platform/config/config.ts'
import type { FoundKey, MasterKeys } from '../../features/workspaces/installation/installation.ts'
import { codeOf, describeSystemError } from '../../platform/lib/system-errors.ts'
import { CommandFailure } from '../command.ts'
import { makeDataFolder } from './data-folder.ts'
import { writePrivateFile } from './private-file.ts'

export const masterKeyFile = (config: Config): string => resolve(config.dataDir, 'master.key')

/** The key that is to follow, until it is in the place of the first. */
export const nextKeyFile = (config: Config): string => `${masterKeyFile(config)}.new`
/** The key that was replaced: backups made before need it. */
export const earlierKeyFile = (config: Config): string => `${masterKeyFile(config)}.before`

export function readKeyFile(path: string, warn: (line: string) => void): FoundKey | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined
    throw new CommandFailure(`The master key cannot be read: ${describeSystemError(error, path)}.`)
  }
  if ((statSync(path).mode & 0o077) !== 0) {
    warn(`warning: ${path} can be read by other users; run: chmod 600 ${path}`)
  }
  return { key: readKey(`The file ${path}`, text.trim()), place: path }
}

/** The file is only created if neither it nor MOORING_MASTER_KEY exists. */
export function masterKeysOf(config: Config, warn: (line: string) => void): MasterKeys {
  const path = masterKeyFile(config)
  const find = (): FoundKey | undefined =>
    config.masterKey
      ? { key: config.masterKey, place: 'MOORING_MASTER_KEY' }
      : readKeyFile(path, warn)
  return {
    find,
    create() {
      makeDataFolder(config)
      const key = randomBytes(MASTER_KEY_BYTES)
      writePrivateFile(path, `${key.toString('base64')}\n`, { replace: false })
      // If another process was faster, its key is used.
      return find() as FoundKey
    },
  }
}
