/** Reads what encrypts and opens backups. */
import { readFileSync } from 'node:fs'
import { type BackupSecret, keysOfFile } from '../../platform/backup/encryption.ts'
import { describeSystemError } from '../../platform/lib/system-errors.ts'
import { ConfigError } from '../../platform/config/kinds.ts'
import { CommandFailure } from '../command.ts'

export interface SecretOptions {
  passphraseFile?: string
  keyFile?: string
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const why = describeSystemError(error, file)
    throw new CommandFailure(`The file cannot be read: ${why}.`, { cause: error })
  }
}

/** @throws ConfigError for both kinds at once, or for an empty passphrase */
export function readSecret({ passphraseFile, keyFile }: SecretOptions): BackupSecret | undefined {
  if (passphraseFile !== undefined && keyFile !== undefined) {
    throw new ConfigError('give either --passphrase-file or --key-file')
  }
  if (keyFile !== undefined) return keysOfFile(read(keyFile), keyFile)
  if (passphraseFile === undefined) return undefined
  const passphrase = read(passphraseFile).replace(/\r?\n$/, '')
  if (passphrase === '') throw new ConfigError('--passphrase-file names an empty file')
  return { kind: 'passphrase', passphrase }
}
