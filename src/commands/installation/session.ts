/** Opens an installation for a command, and checks it before it is changed. */
import { createKeyring, type Keyring } from '../../platform/access/keyring.ts'
import { readConfig } from '../../platform/config/config.ts'
import { type ChangeFeed, createChangeFeed } from '../../platform/database/change-feed.ts'
import { connectDatabase, type Database, type Db } from '../../platform/database/connect.ts'
import { Failure } from '../../platform/errors/errors.ts'
import {
  requireKeys,
  type InstallationKeys,
} from '../../features/workspaces/installation/installation.ts'
import { workspaceOfSlug } from '../../features/workspaces/lifecycle/workspace.ts'
import { type Clock, systemClock } from '../../platform/lib/clock.ts'
import { CommandFailure, refusalText, say } from '../command.ts'
import { requireUpToDate, openForCommand } from './databases.ts'
import { masterKeysOf } from './master-keys.ts'

export interface Session {
  db: Database
  feed: ChangeFeed
  clock: Clock
  /** @throws MasterKeyRefused */
  keys: () => Promise<InstallationKeys>
  /** @throws MasterKeyRefused */
  keyring: () => Promise<Keyring>
}

/**
 * Runs `work` on the installation, with or without a running service.
 * @param names maps members of refused input to command line options
 */
export async function withInstallation<T>(
  names: Readonly<Record<string, string>>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const config = readConfig()
  const opened = await openForCommand(config)
  try {
    await requireUpToDate(opened.connection)
    const db = connectDatabase({
      connection: opened.connection,
      poolSize: 1,
      prepared: false,
      statementTimeoutMs: 15_000,
      acquireTimeoutMs: 10_000,
    })
    const feed = createChangeFeed({ db, clock: systemClock })
    const keys = () => requireKeys(db, masterKeysOf(config, say))
    const keyring = async () => createKeyring((await keys()).roots)
    try {
      return await work({ db, feed, clock: systemClock, keys, keyring })
    } finally {
      await db.close()
    }
  } catch (error) {
    if (error instanceof Failure) {
      throw new CommandFailure(refusalText(error, names), { cause: error })
    }
    throw error
  } finally {
    await opened.stop()
  }
}

/** The UUID of the workspace with a slug. */
export const requireWorkspace = (db: Db, slug: string): Promise<string> =>
  workspaceOfSlug(db, slug).catch((error: unknown) => {
    if (!(error instanceof Failure) || error.code !== 'workspace_not_found') throw error
    throw new CommandFailure(`There is no workspace with the slug ${slug}.`)
  })
