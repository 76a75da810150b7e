/** Creates the data folder, and explains why it cannot be used. */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { refuse } from '../../platform/config/kinds.ts'
import type { Config } from '../../platform/config/config.ts'
import { makeFolder } from '../../platform/database/make-folder.ts'
import { codeOf, describeSystemError } from '../../platform/lib/system-errors.ts'
import { CommandFailure, invocation } from '../command.ts'

function requireAccess(dataDir: string): void {
  try {
    // The slash makes the check fail for a file.
    accessSync(`${dataDir}/`, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    refuse('MOORING_DATA_DIR', `names a folder that cannot be used: ${describeSystemError(error)}`)
  }
}

/** @throws ConfigError if it cannot be created, or cannot be used */
export function makeDataFolder({ dataDir }: Config): void {
  try {
    makeFolder(dataDir, 0o700)
  } catch (error) {
    const { code, path = dataDir } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') refuse('MOORING_DATA_DIR', 'names a file instead of a folder')
    // The parent exists, but its file system does not allow folders, such as /proc.
    const why =
      code === 'ENOENT' ? `${dirname(path)} does not allow folders` : describeSystemError(error)
    refuse('MOORING_DATA_DIR', `names a folder that cannot be created: ${why}`)
  }
  requireAccess(dataDir)
}

/** Whether the folder of the embedded database holds anything. */
function hasDatabase(dataDir: string): boolean {
  try {
    return readdirSync(join(dataDir, 'postgres')).length > 0
  } catch (error) {
    // A file that can't be read exists; the start of the database reports the reason.
    return codeOf(error) !== 'ENOENT'
  }
}

/**
 * A first start makes the database before the master key, whenever it is interrupted. So a key
 * without a database is what is left of an installation.
 * @throws CommandFailure
 */
export function refuseLostDatabase({ dataDir }: Pick<Config, 'dataDir'>): void {
  const folder = resolve(dataDir, 'postgres')
  const key = resolve(dataDir, 'master.key')
  if (hasDatabase(dataDir) || !existsSync(key)) return
  throw new CommandFailure(
    `There is no database in ${folder}, but ${key} belongs to one. Mount the volume of that ` +
      'folder, set DATABASE_URL if the database is on another server, or restore a backup. To ' +
      'begin a new installation instead, move the key away and keep it: backups of the ' +
      'earlier installation need it.',
  )
}

/** For commands that need an installation: a mistyped folder must not become a new database. */
export function requireDataFolder({ dataDir }: Config): void {
  requireAccess(dataDir)
  if (hasDatabase(dataDir)) return
  refuseLostDatabase({ dataDir })
  throw new CommandFailure(
    `There is no database in ${resolve(dataDir)} yet. Start the service once ` +
      `(${invocation} serve), or name its folder in MOORING_DATA_DIR.`,
  )
}
