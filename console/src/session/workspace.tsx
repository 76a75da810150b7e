/** The workspace of the page's path, and what the person may do there. */
import { useParams } from '@tanstack/react-router'
import { createContext, use } from 'react'
import {
  operations,
  type Permission,
  type Role,
  roles,
  type Workspace,
} from '../../../sdk/schema.ts'
import type { OperationId } from '../api/client.ts'
import { useRead } from '../api/hooks.ts'
import { holdersOf, roleNames } from './role-names.ts'
import { t } from '../i18n/frame.ts'

export const Present = createContext<Workspace | null>(null)

/** @throws Error outside a workspace's pages */
export function useWorkspace(): Workspace {
  const workspace = use(Present)
  if (workspace === null) throw new Error('This page belongs to no workspace.')
  return workspace
}

/** Null outside of a workspace's pages. */
export const usePresentWorkspace = (): Workspace | null => use(Present)

/** All workspaces of the person; there are rarely many. */
export const useWorkspaces = () => useRead('listWorkspaces', { query: { limit: 200 } })

export const useMaybeWorkspace = (): Workspace | undefined => {
  const { slug } = useParams({ strict: false }) as { slug?: string }
  const { data } = useWorkspaces()
  return data?.items.find((each) => each.slug === slug)
}

/** The slug that the path names; undefined if it is known to be none of the person's. */
export function usePathSlug(): string | undefined {
  const { slug } = useParams({ strict: false }) as { slug?: string }
  const { data } = useWorkspaces()
  return data === undefined ? slug : data.items.find((each) => each.slug === slug)?.slug
}

export const roleHolds = (role: Role, permission: Permission): boolean =>
  (roles[role] as readonly Permission[]).includes(permission)

const rolesWith = (permission: Permission): Role[] =>
  (Object.keys(roles) as Role[]).filter((role) => roleHolds(role, permission))

/** Why the person may not use an operation in a workspace, in words; undefined if they may. */
export function whyBlocked(workspace: Workspace | null, id: OperationId): string | undefined {
  const { permission } = operations[id]
  if (workspace === null || permission === null) return undefined
  const { role } = workspace
  if (roleHolds(role, permission)) return undefined
  const holders = rolesWith(permission)
  const own = roleNames[role]
  if (holders.length === 0) return t('Your role here is {own}. Nobody may do this.', { own })
  const roles = holdersOf(holders)
  return t('Your role here is {own}. Only {roles} may do this.', { own, roles })
}

/** The same in the workspace of the page. Buttons take it as `blocked`. */
export const useBlocked = (id: OperationId): string | undefined => whyBlocked(use(Present), id)
