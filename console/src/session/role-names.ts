/** What the roles in a workspace are called. */
import type { Role } from '../../../sdk/schema.ts'
import { t } from '../words/frame.ts'

export const roleNames: Readonly<Record<Role, string>> = {
  owner: t('owner'),
  admin: t('admin'),
  member: t('member'),
  viewer: t('viewer'),
}
