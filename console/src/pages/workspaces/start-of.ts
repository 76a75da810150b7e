/** The workspace that the console opens first. */
import type { Workspace } from '../../../../sdk/schema.ts'

type Choice = Pick<Workspace, 'id' | 'status'>

/**
 * The workspace that somebody means who names none: their only one, or the last one they used.
 * Undefined where the list has more to say: they have none or several, or it is suspended.
 * @param lastId of the workspace that was used last in this browser, by this person or another
 */
export function startOf<T extends Choice>(own: readonly T[], lastId: string | null): T | undefined {
  const meant = own.length === 1 ? own[0] : own.find(({ id }) => id === lastId)
  return meant?.status === 'active' ? meant : undefined
}
