/** The names of the roles in a workspace. */
import type { Role } from '../../../sdk/schema.ts'
import { t } from '../i18n/frame.ts'

export const roleNames: Readonly<Record<Role, string>> = {
  owner: t('owner'),
  admin: t('admin'),
  member: t('member'),
  viewer: t('viewer'),
}

/** Everybody who has the role. */
const holders: Readonly<Record<Role, string>> = {
  owner: t('owners'),
  admin: t('admins'),
  member: t('members'),
  viewer: t('viewers'),
}

/** `owners, admins and members` */
export function holdersOf(roles: readonly Role[]): string {
  const names = roles.map((role) => holders[role])
  const last = names.at(-1) ?? ''
  if (names.length < 2) return last
  return t('{list} and {last}', { list: names.slice(0, -1).join(', '), last })
}
