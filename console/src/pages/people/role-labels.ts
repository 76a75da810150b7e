/** The rights of each role, in words. */
import type { Role } from '../../../../sdk/schema.ts'
import type { Option } from '../../kit/Field.tsx'
import { roleNames } from '../../session/role-names.ts'
import { roleHolds } from '../../session/workspace.tsx'
import { t } from './translations.ts'

const hints: Readonly<Record<Role, string>> = {
  owner: t(
    'Everything. Only owners make other owners, require second factors, pay, and delete the workspace.',
  ),
  admin: t(
    'Manages people up to admin, API keys, webhooks and domains, reads the audit log, and all that a member may.',
  ),
  member: t('Works with devices, templates, jobs and MQTT. No API keys, people or money.'),
  viewer: t('Reads devices, templates and jobs. Changes nothing.'),
}

/** Why somebody with a role cannot give or take another one. */
export function whyNotManage(own: Role, other: Role): string | undefined {
  if (!roleHolds(own, 'members.write'))
    return t('Your role here is {role}. Only owners and admins may do this.', {
      role: roleNames[own],
    })
  if (other === 'owner' && !roleHolds(own, 'owners.write')) return t('Only owners may.')
  if (other === 'admin' && !roleHolds(own, 'admins.write')) return t('Only owners and admins may.')
  return undefined
}

/** The roles to choose from. */
export const roleOptions = (own: Role): readonly Option<Role>[] =>
  (Object.keys(hints) as Role[]).map((role) => ({
    value: role,
    label: roleNames[role],
    hint: hints[role],
    blocked: whyNotManage(own, role),
  }))

/** Whether a change of role ends what the person has created. */
export const endsCreations = (from: Role, to: Role): boolean =>
  roleHolds(from, 'api_keys.write') && !roleHolds(to, 'api_keys.write')
