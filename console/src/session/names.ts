/** Names behind ids. What a page asks for at once is one request. */
import { useQuery } from '@tanstack/react-query'
import { call, type Result } from '../api/client.ts'
import type { Problem } from '../api/problem.ts'
import { useWorkspace } from './workspace.tsx'

export type Name = Result<'listActors'>['items'][number]

/** That the operation accepts. */
const MOST_IDS = 50
const FRESH_MS = 60_000

interface Batch {
  ids: Set<string>
  names: Promise<ReadonlyMap<string, Name>>
}

/** By workspace: what is asked for until the present task has ended. */
const open = new Map<string, Batch>()

async function read(workspaceId: string, { ids }: Pick<Batch, 'ids'>) {
  const input = { params: { id: workspaceId }, query: { ids: [...ids].join() } }
  const { items } = await call('listActors', input)
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
  const hasRoom = present !== undefined && present.ids.size < MOST_IDS
  const batch = hasRoom ? present : openBatch(workspaceId)
  batch.ids.add(id)
  return (await batch.names).get(id) ?? null
}

const isId = (text: string): boolean => /^[a-z]+_[0-7][0-9a-z]{25}$/.test(text)

/** @returns undefined while it is being read */
export function useName(id: string): Name | null | undefined {
  const { id: workspaceId } = useWorkspace()
  const isNamed = isId(id)
  const { data, isError } = useQuery<Name | null, Problem>({
    queryKey: ['listActors', { params: { id: workspaceId }, query: { ids: id } }],
    queryFn: () => nameOf(workspaceId, id),
    staleTime: FRESH_MS,
    enabled: isNamed,
  })
  return isError || !isNamed ? null : data
}
