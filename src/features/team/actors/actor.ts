/**
 * The names behind ids of actors. Names are joined when they are read: the rows of accounts and
 * keys outlive a membership and a revocation, so the name stays after its owner has left.
 * Only the name of a deleted account is gone.
 */
import { callerHolds } from '../../../platform/access/holding.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import { type ActorList, MAX_ACTORS } from './schema.ts'
import { findKeyActors, findUserActors } from './store.ts'

type Prefix = 'usr' | 'key'

const idsOf = (names: readonly string[], prefix: Prefix) => {
  const publicIds = names.filter((name) => parseId(prefix, name) !== undefined)
  return { publicIds, ids: publicIds.map((name) => parseId(prefix, name) as string) }
}

/** @throws Failure invalid_request */
export async function listActors(
  { db, caller, workspaceId }: Context<StaffCaller>,
  text: string,
): Promise<ActorList> {
  const names = text === '' ? [] : [...new Set(text.split(','))]
  if (names.length > MAX_ACTORS) throw invalid('/query/ids', `has more than ${MAX_ACTORS} ids`)
  const [users, keys] = [idsOf(names, 'usr'), idsOf(names, 'key')]
  if (users.ids.length + keys.ids.length < names.length) {
    throw invalid('/query/ids', 'has something that is no id of a user or of a key')
  }
  const seesKeys = callerHolds(caller, workspaceId, 'api_keys.read')
  const found = [
    ...(users.ids.length > 0 ? await findUserActors.rows(db, { workspaceId, ...users }) : []),
    ...(keys.ids.length > 0 && seesKeys
      ? await findKeyActors.rows(db, { workspaceId, ...keys })
      : []),
  ]
  return { items: names.flatMap((name) => found.filter(({ id }) => id === name)) }
}
