/** Implements `mooring accounts create`. */
import { createPasswordHasher } from '../../platform/access/passwords.ts'
import type { Role } from '../../platform/access/permissions.ts'
import { serviceOrigin } from '../../platform/record/event.ts'
import { createAccount, setInstallationRole } from '../../features/identity/accounts/account.ts'
import { addMember } from '../../features/team/members/member.ts'
import { formatId } from '../../platform/lib/ids.ts'
import { makePassword } from '../serve/preflight.ts'
import { requireWorkspace, withInstallation } from '../installation/session.ts'

export interface AccountWishes {
  email: string
  name: string
  /** Undefined: it is generated. */
  password: string | undefined
  membership: { slug: string; role: Role } | undefined
  isOperator: boolean
}

const names = { '/email': '--email', '/name': '--name', '/password': 'The password' }

export function makeAccount(wishes: AccountWishes) {
  const { email, name, membership } = wishes
  const password = wishes.password ?? makePassword()
  return withInstallation(names, ({ db, feed }) =>
    db.transaction(async (trx) => {
      const services = { db: trx, feed, passwords: createPasswordHasher() }
      const workspaces = membership === undefined ? [] : [membership.slug]
      const account = await createAccount(services, {
        email,
        name,
        password,
        workspaces,
        isInitial: wishes.password === undefined,
      })
      if (wishes.isOperator) await setInstallationRole(services, account.id, 'operator')
      if (membership !== undefined) {
        const workspaceId = await requireWorkspace(trx, membership.slug)
        const { role } = membership
        await addMember(services, serviceOrigin, { workspaceId, userId: account.id, role })
      }
      return {
        user_id: formatId('usr', account.id),
        email: account.email,
        // Only if it was generated.
        ...(wishes.password === undefined && { password }),
      }
    }),
  )
}
