/** Lists for operators: accounts, workspaces, keys and invitations of the whole installation. */
import type { Db } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import * as store from './store.ts'

export interface ListOptions {
  limit: number
  /** The slug of a workspace; undefined: all workspaces. */
  slug?: string | undefined
  /** Part of an address, a name or a slug, where a list can be searched. */
  search?: string | undefined
  /** The sort key of the last one of the previous page. */
  after?: string | null
}

/** Members by their names in JSON, in the order in which the statement selects them. */
type Listed = Record<string, string | number | boolean | null>

/** Null for what is not asked for. */
const askedOf = ({ limit, slug, search, after }: ListOptions) => ({
  limit,
  slug: slug ?? null,
  search: search ?? null,
  after: after ?? null,
})

const accounts = async (db: Db, options: ListOptions) =>
  (await store.listAccounts.rows(db, askedOf(options))).map((row) => ({
    ...row,
    id: formatId('usr', row.id),
    created_at: timestamp(row.created_at),
  }))

const workspaces = async (db: Db, options: ListOptions) =>
  (await store.listWorkspaces.rows(db, askedOf(options))).map((row) => ({
    ...row,
    id: formatId('ws', row.id),
    created_at: timestamp(row.created_at),
    erase_at: timestampOrNull(row.erase_at),
  }))

const keys = async (db: Db, options: ListOptions) =>
  (await store.listKeys.rows(db, askedOf(options))).map((row) => ({
    ...row,
    id: formatId('key', row.id),
    created_at: timestamp(row.created_at),
    last_used_at: timestampOrNull(row.last_used_at),
  }))

const invitations = async (db: Db, options: ListOptions) =>
  (await store.listInvitations.rows(db, askedOf(options))).map((row) => ({
    ...row,
    id: formatId('inv', row.id),
    created_at: timestamp(row.created_at),
    expires_at: timestamp(row.expires_at),
  }))

export const lists = { accounts, workspaces, keys, invitations } satisfies Record<
  string,
  (db: Db, options: ListOptions) => Promise<Listed[]>
>
export type ListName = keyof typeof lists
