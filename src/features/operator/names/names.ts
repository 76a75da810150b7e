/** The names behind ids, where operators read the audit log of the installation. */
import type { Context } from '../../../context.ts'
import type { UserCaller } from '../../../platform/access/principal.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import { formatId, parseId } from '../../../platform/lib/ids.ts'
import { MAX_NAMES, type NameList } from './schema.ts'
import { findNames } from './store.ts'

/** @throws Failure invalid_request */
export async function listNames({ db }: Context<UserCaller>, text: string): Promise<NameList> {
  const ids = text === '' ? [] : [...new Set(text.split(','))]
  if (ids.length > MAX_NAMES) throw invalid('/query/ids', `has more than ${MAX_NAMES} ids`)
  const uuids = (prefix: 'usr' | 'ws'): string[] => ids.flatMap((id) => parseId(prefix, id) ?? [])
  const [accounts, workspaces] = [uuids('usr'), uuids('ws')]
  if (ids.length !== accounts.length + workspaces.length) {
    throw invalid('/query/ids', 'has something that is no id of an account or a workspace')
  }
  const rows = await findNames.rows(db, { accounts, workspaces })
  const labels = new Map(
    rows.map(({ prefix, id, label }) => [formatId(prefix === 'usr' ? 'usr' : 'ws', id), label]),
  )
  return {
    items: ids.flatMap((id) => {
      const label = labels.get(id)
      return label === undefined ? [] : { id, label }
    }),
  }
}
