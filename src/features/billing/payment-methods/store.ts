/** Queries on payment methods, their setups and customers. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface MethodRow {
  workspace_id: string
  id: string
  provider: string
  status: 'pending' | 'active' | 'abandoned' | 'detached'
  setup_id: string | null
  provider_id: string | null
  brand: string | null
  last4: string | null
  exp_month: number | null
  exp_year: number | null
  is_default: boolean
  created_by: string
  revision: number
  created_at: number
}

/** The stored data of a card. */
export interface CardFields {
  brand: string
  last4: string
  expMonth: number
  expYear: number
}

const columns = `workspace_id, id, provider, status, setup_id, provider_id, brand, last4, exp_month,
  exp_year, is_default, created_by, revision, created_at`

// Serializes changes of a workspace's methods.
const lockWorkspace = statement(
  'payment_methods.lock_workspace',
  'SELECT id FROM workspaces WHERE id = $1 FOR NO KEY UPDATE',
)
const count = statement(
  'payment_methods.count',
  `SELECT count(*) FILTER (WHERE status = 'active') AS active,
          count(*) FILTER (WHERE status = 'pending') AS pending
   FROM payment_methods WHERE workspace_id = $1 AND status IN ('active', 'pending')`,
)
const insert = statement(
  'payment_methods.insert',
  `INSERT INTO payment_methods (workspace_id, id, provider, created_by) VALUES ($1, $2, $3, $4)
   RETURNING ${columns}`,
)
const bind = statement(
  'payment_methods.bind_setup',
  'UPDATE payment_methods SET setup_id = $3 WHERE workspace_id = $1 AND id = $2',
)
const list = statement(
  'payment_methods.list',
  `SELECT ${columns} FROM payment_methods
   WHERE workspace_id = $1 AND status = 'active' ORDER BY created_at, id`,
)
const find = statement(
  'payment_methods.find',
  `SELECT ${columns} FROM payment_methods
   WHERE workspace_id = $1 AND id = $2 AND status = 'active'`,
)
const findAny = statement(
  'payment_methods.find_any',
  `SELECT ${columns} FROM payment_methods WHERE workspace_id = $1 AND id = $2`,
)
const findDefault = statement(
  'payment_methods.find_default',
  `SELECT ${columns} FROM payment_methods WHERE workspace_id = $1 AND is_default`,
)
const lock = statement(
  'payment_methods.lock',
  `SELECT ${columns} FROM payment_methods
   WHERE workspace_id = $1 AND id = $2 AND status = 'active' FOR UPDATE`,
)
const undefault = statement(
  'payment_methods.undefault',
  `UPDATE payment_methods SET is_default = false, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND is_default`,
)
const makeDefault = statement(
  'payment_methods.make_default',
  `UPDATE payment_methods SET is_default = true, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)
const detach = statement(
  'payment_methods.detach',
  `UPDATE payment_methods
   SET status = 'detached', is_default = false, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2`,
)
const updateCard = statement(
  'payment_methods.update_card',
  `UPDATE payment_methods
   SET brand = $3, last4 = $4, exp_month = $5, exp_year = $6, revision = revision + 1,
       updated_at = now()
   WHERE workspace_id = $1 AND id = $2`,
)
const activate = statement(
  'payment_methods.activate',
  `UPDATE payment_methods
   SET status = 'active', provider_id = $3, brand = $4, last4 = $5, exp_month = $6, exp_year = $7,
       revision = revision + 1, updated_at = now(),
       is_default = NOT EXISTS (
         SELECT FROM payment_methods WHERE workspace_id = $1 AND is_default)
   WHERE workspace_id = $1 AND id = $2 AND status = 'pending' RETURNING ${columns}`,
)
const abandon = statement(
  'payment_methods.abandon',
  `UPDATE payment_methods SET status = 'abandoned', revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 AND status = 'pending' RETURNING id`,
)
const bySetup = statement(
  'payment_methods.by_setup',
  `SELECT workspace_id, id FROM payment_methods
   WHERE provider = $1 AND setup_id = $2 AND status = 'pending'`,
)
// After a minute, then doubling up to an hour.
const due = statement(
  'payment_methods.due',
  `UPDATE payment_methods m
   SET checks = m.checks + 1,
       check_at = now() + least(interval '1 minute' * 2 ^ least(m.checks + 1, 6),
                                interval '1 hour')
   FROM (SELECT workspace_id, id FROM payment_methods
         WHERE status = 'pending' AND check_at <= now()
         ORDER BY check_at LIMIT $1 FOR UPDATE SKIP LOCKED) AS hit
   WHERE m.workspace_id = hit.workspace_id AND m.id = hit.id
   RETURNING m.workspace_id, m.id, m.created_at < now() - interval '1 day' AS is_old`,
)

export async function lockMethods(trx: Db, workspaceId: string): Promise<void> {
  await trx.query(lockWorkspace, [workspaceId])
}

export async function countMethods(
  trx: Db,
  workspaceId: string,
): Promise<{ active: number; pending: number }> {
  const [row] = await trx.query<{ active: number; pending: number }>(count, [workspaceId])
  return row ?? { active: 0, pending: 0 }
}

export async function insertMethod(
  trx: Db,
  method: { workspaceId: string; id: string; provider: string; createdBy: string },
): Promise<void> {
  await trx.query(insert, [method.workspaceId, method.id, method.provider, method.createdBy])
}

export async function bindSetup(
  db: Db,
  workspaceId: string,
  id: string,
  setupId: string,
): Promise<void> {
  await db.query(bind, [workspaceId, id, setupId])
}

export const listMethods = (db: Db, workspaceId: string): Promise<MethodRow[]> =>
  db.query(list, [workspaceId])

const first = async (rows: Promise<MethodRow[]>): Promise<MethodRow | undefined> => (await rows)[0]

/** One that can be charged. */
export const findMethod = (db: Db, workspaceId: string, id: string) =>
  first(db.query(find, [workspaceId, id]))

/** Including methods being set up and removed ones. */
export const findAnyMethod = (db: Db, workspaceId: string, id: string) =>
  first(db.query(findAny, [workspaceId, id]))

export const findDefaultMethod = (db: Db, workspaceId: string) =>
  first(db.query(findDefault, [workspaceId]))

export const lockMethod = (trx: Db, workspaceId: string, id: string) =>
  first(trx.query(lock, [workspaceId, id]))

/** Under `lockMethods`. */
export async function setDefault(trx: Db, workspaceId: string, id: string): Promise<MethodRow> {
  await trx.query(undefault, [workspaceId])
  return (await trx.query<MethodRow>(makeDefault, [workspaceId, id]))[0] as MethodRow
}

export async function markDetached(trx: Db, workspaceId: string, id: string): Promise<void> {
  await trx.query(detach, [workspaceId, id])
}

export async function updateCardOf(
  trx: Db,
  { workspace_id, id }: MethodRef,
  { brand, last4, expMonth, expYear }: CardFields,
): Promise<void> {
  await trx.query(updateCard, [workspace_id, id, brand, last4, expMonth, expYear])
}

/** Under `lockMethods`. @returns undefined if it is no longer pending */
export async function activateMethod(
  trx: Db,
  workspaceId: string,
  id: string,
  { providerId, card }: { providerId: string; card: CardFields },
): Promise<MethodRow | undefined> {
  const { brand, last4, expMonth, expYear } = card
  const values = [workspaceId, id, providerId, brand, last4, expMonth, expYear]
  return first(trx.query(activate, values))
}

/** @returns whether it was pending */
export const abandonMethod = async (db: Db, workspaceId: string, id: string): Promise<boolean> =>
  (await db.query(abandon, [workspaceId, id])).length > 0

export interface MethodRef {
  workspace_id: string
  id: string
}

/** Of any workspace. */
export async function findBySetup(
  db: Db,
  provider: string,
  setupId: string,
): Promise<MethodRef | undefined> {
  return (await db.query<MethodRef>(bySetup, [provider, setupId]))[0]
}

/** Due setups, each handed to one caller. */
export const takeDueSetups = (
  db: Db,
  limit: number,
): Promise<(MethodRef & { is_old: boolean })[]> => db.query(due, [limit])
