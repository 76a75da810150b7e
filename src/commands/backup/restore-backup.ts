/** Restores a backup into an empty database. */
import {
  adjustRestored,
  type LostChanges,
} from '../../features/workspaces/installation/restored.ts'
import { fingerprintOf } from '../../features/workspaces/installation/root-keys.ts'
import type { FoundKey } from '../../features/workspaces/installation/installation.ts'
import type { BackupHeader } from '../../platform/backup/backup-file.ts'
import { copyIn, requireEmpty } from '../../platform/backup/database-copy.ts'
import type { BackupSecret } from '../../platform/backup/encryption.ts'
import { type Config, readConfig } from '../../platform/config/config.ts'
import { readKey } from '../../platform/config/kinds.ts'
import { transactionOn } from '../../platform/database/client-transaction.ts'
import { lastMigrationOf, MigrationRefused } from '../../platform/database/migrate.ts'
import { withClient } from '../../platform/database/primary-client.ts'
import { CommandFailure, readText, say } from '../command.ts'
import { applyMigrations, migrations, openForRestore } from '../installation/databases.ts'
import { masterKeyFile, masterKeysOf } from '../installation/master-keys.ts'
import { writePrivateFile } from '../installation/private-file.ts'
import { forBackup } from './make-backup.ts'
import { piecesOf, sizeOf, type VerifiedBackup, verifyBackup } from './verify-backup.ts'

export interface RestoreOptions {
  path: string
  secret: BackupSecret | undefined
  /** A file with the master key, unless it is configured or in the data folder. */
  masterKeyFile?: string | undefined
  /** Asked once the backup is known to be good, before anything is written. */
  decide: (backup: VerifiedBackup) => Promise<LostChanges | undefined>
}

const short = (fingerprint: string): string => `${fingerprint.slice(0, 8)}…`

const keyOfFile = (path: string): FoundKey => ({
  key: readKey(`The file ${path}`, readText('The master key', path).trim()),
  place: path,
})

/** @throws CommandFailure if the key is missing, or does not open the backup */
function requireKey(config: Config, header: BackupHeader, file: string | undefined): FoundKey {
  const found = file === undefined ? masterKeysOf(config, say).find() : keyOfFile(file)
  const wanted = header.master_keys.map(short).join(' or ')
  if (found === undefined) {
    throw new CommandFailure(
      `The backup needs the master key ${wanted}, which is kept apart from it. Give it as ` +
        `MOORING_MASTER_KEY, as ${masterKeyFile(config)}, or with --master-key-file.`,
    )
  }
  const given = fingerprintOf(found.key)
  if (header.master_keys.includes(given)) return found
  throw new CommandFailure(
    `The master key of ${found.place} (${short(given)}) does not open this backup, which needs ` +
      `${wanted}.`,
  )
}

async function throughOf({ migrations: applied, mooring }: BackupHeader): Promise<number> {
  try {
    return await lastMigrationOf(applied, migrations)
  } catch (error) {
    if (!(error instanceof MigrationRefused)) throw error
    const text = `The backup was made by version ${mooring}: restore it with that version, or a later one.`
    throw new CommandFailure(text, { cause: error })
  }
}

/**
 * Restores everything in one transaction, or nothing. The database must have no installation.
 * @throws BackupRefused, CommandFailure
 */
export async function restoreBackup(options: RestoreOptions): Promise<VerifiedBackup> {
  const { path, secret, decide } = options
  const config = readConfig()
  say(`Verifying ${path}: all of it is read.`)
  const backup = await verifyBackup(path, secret)
  const { header } = backup
  const through = await throughOf(header)
  const key = requireKey(config, header, options.masterKeyFile)
  const lost = await decide(backup)
  const opened = await openForRestore(config)
  try {
    const connect = forBackup(opened.connection)
    await withClient(connect, requireEmpty)
    say('Making the tables.')
    await applyMigrations(opened.connection, () => {}, { through })
    await withClient(connect, async (client) => {
      const pieces = piecesOf(path, secret)
      await pieces.next()
      const finish = (): Promise<void> => {
        say('All rows are there and fit together: committing them, and making statistics.')
        return adjustRestored(transactionOn(client), header.started_at, lost)
      }
      say(`Loading ${sizeOf(backup).rows} rows. An interrupted restore can be repeated.`)
      await copyIn(client, header, pieces, finish)
    })
  } finally {
    await opened.stop()
  }
  // A key without a database would stop a start, which takes it for a volume that is missing.
  if (options.masterKeyFile !== undefined && config.masterKey === undefined) {
    const text = `${key.key.toString('base64')}\n`
    writePrivateFile(masterKeyFile(config), text, { replace: false })
  }
  return backup
}
