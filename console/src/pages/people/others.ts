/** Other managers of a workspace: they may keep what one has created, or take it over. */
import { useRead } from '../../api/hooks.ts'
import { MAX_COUNT } from '../../kit/Counts.tsx'
import { roleHolds, useWorkspace } from '../../session/workspace.tsx'
import { whyNotManage } from './role-labels.ts'
import { t } from './translations.ts'

/** @returns both unset until it is known: the service decides */
export function useOthers(userId: string) {
  const { id, role } = useWorkspace()
  const query = { filter: 'role = owner OR role = admin', limit: MAX_COUNT }
  const enabled = roleHolds(role, 'members.write')
  const { data } = useRead('listMembers', { params: { id }, query }, { enabled })
  const others = data?.items.filter(({ user_id }) => user_id !== userId)
  const isOnlyOwner = role === 'owner' && others?.every((each) => each.role !== 'owner')
  return {
    /** Why one may give up neither the membership nor the role. */
    onlyOwner:
      isOnlyOwner === true
        ? t('You are the only owner. Make somebody else an owner, or delete the workspace.')
        : undefined,
    /** Whether a colleague may remove one, and keep what one has created. */
    canBeRemoved: others?.some((each) => whyNotManage(each.role, role) === undefined) === true,
  }
}
