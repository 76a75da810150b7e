/** Lists for the operator: accounts, workspaces, keys and invitations of the whole installation. */
import type { Db } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import * as store from './list-store.ts'

export interface ListOptions {
  limit: number
  /** Of a workspace; undefined: of all. */
  slug?: string | undefined
}

/** Members by their names in JSON, in the order of a table's columns. */
type Listed = Record<string, string | number | boolean | null>

const accounts = async (db: Db, { limit }: ListOptions): Promise<Listed[]> =>
  (await store.listAccounts.rows(db, { limit })).map((row) => ({
    email: row.email,
    id: formatId('usr', row.id),
    name: row.name,
    status: row.status,
    second_factor: row.has_second_factor,
    workspaces: row.workspaces,
    created_at: timestamp(row.created_at),
  }))

const workspaces = async (db: Db, { limit }: ListOptions): Promise<Listed[]> =>
  (await store.listWorkspaces.rows(db, { limit })).map((row) => ({
    slug: row.slug,
    id: formatId('ws', row.id),
    name: row.name,
    status: row.status,
    members: row.members,
    created_at: timestamp(row.created_at),
    erase_at: timestampOrNull(row.erase_at),
  }))

const keys = async (db: Db, { limit, slug }: ListOptions): Promise<Listed[]> =>
  (await store.listKeys.rows(db, { limit, slug: slug ?? null })).map((row) => ({
    workspace: row.workspace,
    id: formatId('key', row.id),
    kind: row.kind,
    name: row.name,
    hint: row.hint,
    status: row.status,
    created_by: row.created_by,
    created_at: timestamp(row.created_at),
    last_used_at: timestampOrNull(row.last_used_at),
  }))

const invitations = async (db: Db, { limit, slug }: ListOptions): Promise<Listed[]> =>
  (await store.listInvitations.rows(db, { limit, slug: slug ?? null })).map((row) => ({
    workspace: row.workspace,
    email: row.email,
    id: formatId('inv', row.id),
    role: row.role,
    status: row.status,
    created_by: row.created_by,
    created_at: timestamp(row.created_at),
    expires_at: timestamp(row.expires_at),
  }))

export const lists = { accounts, workspaces, keys, invitations }
export type ListName = keyof typeof lists
