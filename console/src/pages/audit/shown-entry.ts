/** The entry of an audit log that the address names, so that it can be sent to a colleague. */
import { useCallback, useEffect } from 'react'
import type { AuditEntry } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { useHeld } from '../../session/held.ts'
import { useSearchState } from '../../session/search-state.ts'

export type Entries = ReturnType<typeof useList<'listAuditLog'>>

/** The name of the log. */
export interface LogProps {
  log: 'listAuditLog' | 'listInstallationAuditLog'
  /** Undefined: the installation. */
  workspaceId: string | undefined
}

/** In the address: the id of an entry and when it occurred. A log is read by times. */
type Shown = { entry: string; at: string }

const PAGE = 100

/** Entries of one millisecond, which is as exact as their times are. */
function useMoment({ log, workspaceId }: LogProps, time: number, enabled: boolean): Entries {
  const query = enabled
    ? { from: new Date(time).toISOString(), to: new Date(time + 1).toISOString(), limit: PAGE }
    : {}
  const params = workspaceId === undefined ? {} : { id: workspaceId }
  // Both logs have the same parameters and entries.
  return useList(log as 'listAuditLog', { params: params as { id: string }, query }, { enabled })
}

/** An entry that is not in the list so far, or does not pass its filter, is read by itself. */
export function useShownEntry(list: Entries, which: LogProps) {
  const [{ entry: id, at = '' }, setState] = useSearchState<Shown>()
  const isIt = (each: AuditEntry): boolean => each.id === id
  const listed = useHeld(list.items?.find(isIt), id)
  const time = Date.parse(at)
  // A list whose filter is refused has no items.
  const isListRead = list.items !== undefined || list.error !== null
  const isAsked = id !== undefined && isListRead && listed === undefined
  const moment = useMoment(which, time, isAsked && !Number.isNaN(time))
  const shown = listed ?? moment.items?.find(isIt)
  const { hasNextPage, isFetching, fetchNextPage, error } = moment
  const needsMore = isAsked && shown === undefined && hasNextPage && error === null
  useEffect(() => {
    if (needsMore && !isFetching) void fetchNextPage()
  })
  const show = useCallback(
    (entry: AuditEntry) => setState({ entry: entry.id, at: entry.occurred_at }),
    [setState],
  )
  const isRead = Number.isNaN(time) || (moment.isSuccess && !moment.hasNextPage)
  return {
    shown,
    isMissing: isAsked && shown === undefined && isRead,
    problem: isAsked ? moment.error : null,
    show,
    close: () => setState({ entry: undefined, at: undefined }),
  }
}
