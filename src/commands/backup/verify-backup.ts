/** Reads a backup from its beginning to its end, and says what is in it or where it is damaged. */
import { createReadStream } from 'node:fs'
import {
  type BackupContents,
  type BackupHeader,
  readBackup,
} from '../../platform/backup/backup-file.ts'
import { type BackupSecret, decrypted } from '../../platform/backup/encryption.ts'
import { describeSystemError } from '../../platform/lib/system-errors.ts'
import { CommandFailure } from '../command.ts'

export interface VerifiedBackup {
  header: BackupHeader
  contents: BackupContents
}

/** How much is in a backup, as people write it. */
export function sizeOf({ contents }: VerifiedBackup): { rows: string; tables: number } {
  const counts = Object.values(contents.rows).filter((count) => count > 0)
  const rows = counts.reduce((sum, count) => sum + count, 0)
  return { rows: rows.toLocaleString('en'), tables: counts.length }
}

/** The pieces of a backup in a file. @throws BackupRefused, CommandFailure */
export async function* piecesOf(path: string, secret: BackupSecret | undefined) {
  try {
    yield* readBackup(await decrypted(createReadStream(path), secret))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    const why = describeSystemError(error, path)
    throw new CommandFailure(`The backup cannot be read: ${why}.`, { cause: error })
  }
}

/** @throws BackupRefused if it is damaged, incomplete, something else, or cannot be decrypted */
export async function verifyBackup(
  path: string,
  secret: BackupSecret | undefined,
): Promise<VerifiedBackup> {
  let header: BackupHeader | undefined
  let contents: BackupContents | undefined
  for await (const piece of piecesOf(path, secret)) {
    if (piece.kind === 'header') header = piece.header
    if (piece.kind === 'contents') contents = piece.contents
  }
  if (header === undefined || contents === undefined) throw new Error('the backup has no contents')
  return { header, contents }
}
