/**
 * Stores the first owner's generated password in a file. It is written before the owner, so that no
 * crash in between leaves an owner whose password nobody knows.
 */
import { readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import type { Db } from '../../platform/database/connect.ts'
import { INITIAL_PASSWORD_DAYS } from '../../features/identity/accounts/account.ts'
import { isSetupOpen } from '../../features/identity/one-time-links/one-time-link.ts'
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

/** Removes the file of an owner who has set up the account by its link: its password is gone. */
export async function dropFirstOwner(config: Config, db: Db): Promise<void> {
  const file = firstOwnerFile(config)
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.includes(SETUP_PAGE) && !(await isSetupOpen(db))) await rm(file)
}
