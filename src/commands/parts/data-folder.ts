/** The data folder: made by those who need it, and what is wrong with it in words. */
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { refuse } from '../../config/kinds.ts'
import type { Config } from '../../config.ts'
import { makeFolder } from '../../database/make-folder.ts'
import { systemWords } from '../../lib/system-words.ts'
import { CommandFailure } from './command.ts'

function demandAccess(dataDir: string): void {
  try {
    // With the slash a file is refused, too.
    accessSync(`${dataDir}/`, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    refuse('MOORING_DATA_DIR', `names a folder that can not be used: ${systemWords(error)}`)
  }
}

/** @throws ConfigError if it can not be made, or not be used */
export function makeDataFolder({ dataDir }: Config): void {
  try {
    makeFolder(dataDir, 0o700)
  } catch (error) {
    const { code, path = dataDir } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') refuse('MOORING_DATA_DIR', 'names a file, where a folder is needed')
    // Its parent is there, but is of a kind that takes no folders, as /proc.
    const why = code === 'ENOENT' ? `${dirname(path)} takes no folders` : systemWords(error)
    refuse('MOORING_DATA_DIR', `names a folder that can not be made: ${why}`)
  }
  demandAccess(dataDir)
}

/** For commands that need an installation: a mistyped folder must not become a new database. */
export function demandDataFolder({ dataDir }: Config): void {
  demandAccess(dataDir)
  if (existsSync(join(dataDir, 'postgres'))) return
  throw new CommandFailure(
    `There is no database in ${resolve(dataDir)} yet. Start the service once ` +
      '(npm start), or name its folder in MOORING_DATA_DIR.',
  )
}
