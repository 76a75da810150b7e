/** Makes a backup of the database, while the service runs. */
import { createWriteStream, existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Client, PoolConfig } from 'pg'
import {
  fingerprintOf,
  readStored,
  validMasterKeys,
} from '../../features/workspaces/installation/root-keys.ts'
import { codeOf } from '../../platform/lib/system-errors.ts'
import { readFingerprint } from '../../features/workspaces/installation/store.ts'
import { writeBackup } from '../../platform/backup/backup-file.ts'
import { copyOut } from '../../platform/backup/database-copy.ts'
import { type Connect, connector, withClient } from '../../platform/database/primary-client.ts'
import { type BackupSecret, encrypted } from '../../platform/backup/encryption.ts'
import { readConfig } from '../../platform/config/config.ts'
import { readVersion } from '../../app/project.ts'
import { transactionOn } from '../../platform/database/client-transaction.ts'
import { CommandFailure, say } from '../command.ts'
import { openForCommand } from '../installation/databases.ts'
import { masterKeysOf } from '../installation/master-keys.ts'

export const forBackup = (connection: PoolConfig): Connect =>
  connector({ ...connection, application_name: 'mooring backup' })

/** Fingerprints of the master keys that open the database. */
async function keysThatOpen(client: Client): Promise<string[]> {
  const db = transactionOn(client)
  const first = await readFingerprint(db)
  if (first === undefined) {
    throw new CommandFailure('This database was not set up yet: start the service once.')
  }
  const replaced = validMasterKeys(await readStored(db))
  return replaced.length > 0 ? replaced : [first]
}

/** Writes a file that only its owner may read; it has its name when it is complete and on disk. */
async function writeDurably(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  const partial = `${path}.partial`
  try {
    const file = createWriteStream(partial, { mode: 0o600, flags: 'wx', flush: true })
    await pipeline(content, file)
    await rename(partial, path)
    const folder = await open(dirname(path), 'r')
    await folder.sync()
    await folder.close()
    return file.bytesWritten
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      throw new CommandFailure(
        `${partial} is there: another backup is being written, or one was interrupted. Remove it.`,
      )
    }
    await rm(partial, { force: true })
    throw error
  }
}

/** @param path of the file, which must not exist */
export async function makeBackup(path: string, secret: BackupSecret | undefined) {
  if (existsSync(path)) throw new CommandFailure(`${path} is there already: name a new file.`)
  const config = readConfig()
  const opened = await openForCommand(config)
  try {
    const made = await withClient(forBackup(opened.connection), async (client) => {
      const master_keys = await keysThatOpen(client)
      const started_at = new Date().toISOString()
      const pieces = copyOut(client, { mooring: readVersion(), master_keys, started_at })
      const plain = writeBackup(pieces, Date.now)
      const content = secret === undefined ? plain : await encrypted(plain, secret)
      const bytes = await writeDurably(path, content)
      const isEncrypted = secret !== undefined
      return { file: path, bytes, started_at, encrypted: isEncrypted, master_keys }
    })
    const key = masterKeysOf(config, say).find()
    const isHere = key !== undefined && made.master_keys.includes(fingerprintOf(key.key))
    say(`${basename(path)} has everything that was committed before ${made.started_at}.`)
    say(
      'The master key is not in it, and without the key it is of no use. Keep a copy of the key ' +
        `in another place${isHere ? `: it is in ${key.place}` : ''}.`,
    )
    return made
  } finally {
    await opened.stop()
  }
}
