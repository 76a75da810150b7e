/**
 * The made-up password of the first owner, kept in a file: it is written before the owner is, so
 * that no crash between the two leaves an owner whose password nobody knows.
 */
import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import type { FirstOwner } from '../../features/installation/installation.ts'
import { writePrivateFile } from './private-file.ts'

export const firstOwnerFile = (config: Config): string => resolve(config.dataDir, 'first-owner.txt')

/** Nothing is written when the password was given: then somebody knows it. */
export function keepFirstOwner(config: Config, owner: FirstOwner): void {
  if (config.bootstrapPassword !== undefined) return
  const { email, password, workspace } = owner
  writePrivateFile(
    firstOwnerFile(config),
    `The first owner of this installation. Sign in, change the password, and delete this file.
email: ${email}
password: ${password}
workspace: ${workspace.slug}
`,
    { replace: true },
  )
}
