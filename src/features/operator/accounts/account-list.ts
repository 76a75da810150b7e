/** Accounts of the installation, as operators see them. */
import type { UserCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { found, invalid } from '../../../platform/errors/errors.ts'
import { formatId, parseId } from '../../../platform/lib/ids.ts'
import type { LinkedIdentity } from '../../common/linked-identity.ts'
import { readPage } from '../../common/paging.ts'
import type { Paged } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'
import type { RowOf } from '../../../platform/database/sql.ts'
import { identitiesOf } from '../../team/single-sign-on/identity.ts'
import { lists } from '../../workspaces/installation/lists.ts'
import {
  type AccountSummary,
  AccountView,
  type ListAccounts,
  MAX_NAMES,
  type NameList,
} from './schema.ts'
import * as store from './store.ts'

/** By address. */
export async function listAccounts(
  context: Context<UserCaller>,
  query: ListAccounts,
): Promise<Paged<AccountSummary>> {
  const { search } = query
  const page = readPage(context, query, `installation-accounts ${search ?? ''}`)
  const rows = await lists.accounts(context.db, { search, ...page.asked })
  return page.of(
    rows,
    ({ email }) => email,
    (row) => row,
  )
}

interface Belongings {
  memberships: readonly RowOf<typeof store.listMemberships>[]
  identities: readonly LinkedIdentity[]
}

const membershipOf = rowView<Belongings['memberships'][number]>()(
  AccountView.properties.workspaces.items,
)
const viewOf = rowView<RowOf<typeof store.findAccount>, [Belongings]>()(AccountView, {
  second_factor: ({ authenticator, passkeys }) => authenticator || passkeys > 0,
  identities: (_row, { identities }) => [...identities],
  workspaces: (_row, { memberships }) => memberships.map((each) => membershipOf(each)),
})

/** @throws Failure account_not_found */
export async function getAccount({ db }: Context<UserCaller>, id: string): Promise<AccountView> {
  const row = found(await store.findAccount.first(db, { id }), 'account_not_found')
  const memberships = await store.listMemberships.rows(db, { userId: id })
  return viewOf(row, { memberships, identities: await identitiesOf(db, id) })
}

/** The names behind ids, for the audit log. @throws Failure invalid_request */
export async function listNames({ db }: Context<UserCaller>, text: string): Promise<NameList> {
  const ids = text === '' ? [] : [...new Set(text.split(','))]
  if (ids.length > MAX_NAMES) throw invalid('/query/ids', `has more than ${MAX_NAMES} ids`)
  const uuids = (prefix: 'usr' | 'ws'): string[] => ids.flatMap((id) => parseId(prefix, id) ?? [])
  const [accounts, workspaces] = [uuids('usr'), uuids('ws')]
  if (ids.length !== accounts.length + workspaces.length) {
    throw invalid('/query/ids', 'has something that is no id of an account or a workspace')
  }
  const rows = await store.findNames.rows(db, { accounts, workspaces })
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
