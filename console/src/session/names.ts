/** Names behind ids. Requests that a page makes at once are sent as one. */
import { useQuery } from '@tanstack/react-query'
import { call, type Result } from '../api/client.ts'
import type { Problem } from '../api/problem.ts'
import { usePresentWorkspace } from './workspace.tsx'

export type Name = Result<'listActors'>['items'][number]

/** Where names are read: a workspace, or the installation, whose operators see other ones. */
const INSTALLATION = ''

/** That the operation accepts. */
const MAX_IDS = 50
const FRESH_MS = 60_000

interface Batch {
  ids: Set<string>
  names: Promise<ReadonlyMap<string, Name>>
}

/** The ids that are asked for until the present task has ended, by where they are. */
const open = new Map<string, Batch>()

const unchanged = { detail: null, is_active: true, is_deleted: false }

async function read(workspaceId: string, { ids }: Pick<Batch, 'ids'>) {
  const query = { ids: [...ids].join() }
  if (workspaceId === INSTALLATION) {
    const { items } = await call('listInstallationNames', { query })
    return new Map(items.map((each): [string, Name] => [each.id, { ...each, ...unchanged }]))
  }
  const { items } = await call('listActors', { params: { id: workspaceId }, query })
  return new Map(items.map((each) => [each.id, each]))
}

function openBatch(workspaceId: string): Batch {
  const ids = new Set<string>()
  const isAsked = new Promise((resolve) => setTimeout(resolve))
  const batch: Batch = {
    ids,
    names: isAsked.then(() => {
      if (open.get(workspaceId) === batch) open.delete(workspaceId)
      return read(workspaceId, batch)
    }),
  }
  open.set(workspaceId, batch)
  return batch
}

/** @returns null for what has no name that the person may read */
async function nameOf(workspaceId: string, id: string): Promise<Name | null> {
  const present = open.get(workspaceId)
  const hasRoom = present !== undefined && present.ids.size < MAX_IDS
  const batch = hasRoom ? present : openBatch(workspaceId)
  batch.ids.add(id)
  return (await batch.names).get(id) ?? null
}

const isId = (text: string): boolean => /^[a-z]+_[0-7][0-9a-z]{25}$/.test(text)
/** The resources of the installation that have names. */
const isOfInstallation = (text: string): boolean => /^(usr|ws)_/.test(text)

/** @returns undefined while it is being read */
export function useName(id: string): Name | null | undefined {
  const workspaceId = usePresentWorkspace()?.id ?? INSTALLATION
  const isNamed = isId(id) && (workspaceId !== INSTALLATION || isOfInstallation(id))
  const { data, isError } = useQuery<Name | null, Problem>({
    queryKey: ['listActors', { params: { id: workspaceId }, query: { ids: id } }],
    queryFn: () => nameOf(workspaceId, id),
    staleTime: FRESH_MS,
    enabled: isNamed,
  })
  return isError || !isNamed ? null : data
}
