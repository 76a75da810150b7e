/**
 * Stores the first owner's generated password in a file. It is written before the owner, so that no
 * crash in between leaves an owner whose password nobody knows.
 */
import { readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import type { Db } from '../../platform/database/connect.ts'
import { errorFields, type Log } from '../../platform/log.ts'
import type { App } from '../../app/app.ts'
import { INITIAL_PASSWORD_DAYS } from '../../features/identity/accounts/account.ts'
import { isSetupOpen, isSetupUsed } from '../../features/identity/one-time-links/one-time-link.ts'
import type { FirstOwner } from '../../features/workspaces/installation/installation.ts'
import { makeDataFolder } from '../installation/data-folder.ts'
import { writePrivateFile } from '../installation/private-file.ts'

export const firstOwnerFile = (config: Config): string => resolve(config.dataDir, 'first-owner.txt')

const SETUP_PAGE = '/console/setup#token='

/** Nothing is written if the password was given. */
export function keepFirstOwner(
  config: Config,
  owner: FirstOwner,
  setupToken: string | undefined,
): void {
  if (config.bootstrapPassword !== undefined) return
  makeDataFolder(config)
  const { email, password, workspace } = owner
  writePrivateFile(
    firstOwnerFile(config),
    `The first owner of this installation. The password is valid for ${INITIAL_PASSWORD_DAYS} days, and only for choosing another
one: sign in, change it with POST /auth/password, and delete this file.
email: ${email}
password: ${password}
workspace: ${workspace.slug}
${setupToken === undefined ? '' : `Or set up the account in a browser, at this page of the service: ${SETUP_PAGE}${setupToken}\n`}`,
    { replace: true },
  )
}

const hasSetupLink = async (file: string): Promise<boolean> =>
  (await readFile(file, 'utf8').catch(() => '')).includes(SETUP_PAGE)

const remove = (file: string, log: Log): Promise<void> =>
  rm(file, { force: true }).catch((error: unknown) =>
    log('warn', 'the file of the first owner could not be removed', {
      file,
      ...errorFields(error),
    }),
  )

/** Removes the file of an owner who has replaced the password that it says. */
export async function dropFirstOwner(config: Config, db: Db, log: Log): Promise<void> {
  const file = firstOwnerFile(config)
  if ((await hasSetupLink(file)) && !(await isSetupOpen(db))) await remove(file, log)
}

/**
 * Removes the file as soon as its link was used, in whatever process: the feed notifies the one
 * that has the file. A program that replaces the password keeps the new one there, so that alone
 * removes nothing.
 */
export function dropFirstOwnerOnceUsed(
  config: Config,
  { database, services: { feed } }: Pick<App, 'database' | 'services'>,
  log: Log,
): void {
  const file = firstOwnerFile(config)
  let isKept = true
  const checkLink = async (): Promise<void> => {
    isKept &&= await hasSetupLink(file)
    if (!isKept || !(await isSetupUsed(database))) return
    isKept = false
    await remove(file, log)
  }
  // If the database cannot be read, the next change of an account or the next start checks again.
  const tryCheck = (): void => void checkLink().catch(() => {})
  feed.on('user', tryCheck)
  feed.onGap(tryCheck)
  tryCheck()
}
