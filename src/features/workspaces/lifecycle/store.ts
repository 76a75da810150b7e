/** Queries on workspaces and their owners. */
import { type Db, isUniqueViolation, unnamed } from '../../../platform/database/connect.ts'
import { type ParamsOf, type RowOf, sql, stored } from '../../../platform/database/sql.ts'
import { Progress } from './schema.ts'

const columns =
  'id, name, slug, status, mfa_required, mqtt_durable, revision, created_at, updated_at'

export type WorkspaceRow = RowOf<typeof findWorkspace>

/** Serializes creations by one user, so that they can be counted. */
export const lockOwner = sql('workspaces.lock_user')`
  SELECT id FROM users WHERE id = $id FOR NO KEY UPDATE`
export const countOwnedWorkspaces = sql('workspaces.count_owned')`
  SELECT count(*) AS owned FROM memberships WHERE user_id = $userId AND role = 'owner'`
const insert = sql('workspaces.insert')`
  WITH workspace AS (
    INSERT INTO workspaces (id, name, slug) VALUES ($id, $name, $slug) RETURNING ${columns}
  ), membership AS (
    INSERT INTO memberships (workspace_id, user_id, role) SELECT id, $ownerId?::uuid, 'owner'
    FROM workspace WHERE $ownerId::uuid IS NOT NULL
  )
  SELECT ${columns} FROM workspace`
/** The given workspaces after `$after`, newest first. */
export const pageOfWorkspaces = sql('workspaces.page')`
  SELECT ${columns} FROM workspaces
  WHERE id = ANY($ids::uuid[]) AND status <> 'deleting' AND ($after?::uuid IS NULL OR id < $after)
  ORDER BY id DESC LIMIT $limit`
export const findWorkspace = sql('workspaces.by_id')`
  SELECT ${columns} FROM workspaces WHERE id = $id`
export const findWorkspaceBySlug = sql('workspaces.by_slug')`
  SELECT ${columns} FROM workspaces WHERE slug = $slug AND status <> 'deleting'`
// FOR UPDATE rather than a weaker lock: the foreign key of a new device must wait for it.
/** Locks the workspace against changes and device registration. */
export const lockWorkspace = sql('workspaces.lock')`${findWorkspace.source} FOR UPDATE`
// A deletion waits for this lock; later callers find nothing.
export const workspaceHasDevices = sql('workspaces.has_devices')`
  SELECT EXISTS (SELECT FROM devices WHERE workspace_id = $workspaceId) AS found!`
const update = sql('workspaces.update')`
  UPDATE workspaces SET name = $name, slug = $slug, mfa_required = $mfa_required,
                        mqtt_durable = $mqtt_durable, revision = revision + 1, updated_at = now()
  WHERE id = $id RETURNING ${columns}`

const orTaken = (error: unknown): undefined => {
  if (isUniqueViolation(error, 'workspaces_slug_key')) return undefined
  throw error
}

/** @returns undefined if another workspace has the slug; the transaction is then aborted */
export const insertWorkspace = async (
  db: Db,
  workspace: { id: string; name: string; slug: string; ownerId: string | null },
): Promise<WorkspaceRow | undefined> => insert.first(db, workspace).catch(orTaken)

/** The oldest workspace that a user owns. */
export const firstOwnedWorkspace = sql('workspaces.first_owned')`
  SELECT w.id FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
  WHERE m.user_id = $userId AND m.role = 'owner' AND w.status = 'active'
  ORDER BY w.id LIMIT 1`

export const updateWorkspace = async (
  db: Db,
  workspace: ParamsOf<typeof update>,
): Promise<WorkspaceRow | undefined> => update.first(db, workspace).catch(orTaken)

const due = `status = 'deleting' AND erase_at <= now()`
// Usage must be invoiced before anything is erased, and the invoice is kept for a while even if it
// is late. An erasure in progress continues.
const isInvoiced = `(erasure <> '{}' OR NOT (
  EXISTS (SELECT FROM invoices i WHERE i.workspace_id = workspaces.id
          AND (i.status = 'draft' OR i.issued_at > now() - make_interval(days => 7)))
  OR EXISTS (SELECT FROM subscriptions s WHERE s.workspace_id = workspaces.id
             AND s.drafted_until < delete_requested_at
             AND s.billed_from IS DISTINCT FROM 'infinity')))`

export const markDeleting = sql('workspaces.mark_deleting')`
  UPDATE workspaces
  SET status = 'deleting', delete_requested_at = now(),
      erase_at = now() + make_interval(days => $days), revision = revision + 1, updated_at = now()
  WHERE id = $id RETURNING delete_requested_at AS delete_requested_at!, erase_at AS erase_at!`
/** Without a result if there is nothing to restore. */
export const unmarkDeleting = sql('workspaces.unmark_deleting')`
  UPDATE workspaces
  SET status = 'active', delete_requested_at = NULL, erase_at = NULL, revision = revision + 1,
      updated_at = now()
  WHERE slug = $slug AND status = 'deleting' AND erasure = '{}' RETURNING id`
/** With `$invoicedOnly`, the last invoice must be issued before the erasure. */
export const findDue = sql('workspaces.due')`
  SELECT id FROM workspaces WHERE ${due} AND (NOT $invoicedOnly OR ${isInvoiced}) ORDER BY erase_at
  LIMIT $limit`
/** @returns undefined if it is no longer due, or another process works on it */
export const lockDue = sql('workspaces.lock_due')`
  SELECT id, delete_requested_at AS delete_requested_at!, erase_at AS erase_at!,
         ${stored('erasure', Progress)},
         clock_timestamp() AS now
  FROM workspaces WHERE id = $id AND ${due} AND (NOT $invoicedOnly OR ${isInvoiced})
  FOR UPDATE SKIP LOCKED`
export type DueRow = RowOf<typeof lockDue>

export const writeProgress = sql('workspaces.write_erasure')`
  UPDATE workspaces SET erasure = $erasure WHERE id = $id`
export const deleteWorkspaceRow = sql('workspaces.delete')`DELETE FROM workspaces WHERE id = $id`
const namesOf = sql('workspaces.names')`SELECT name FROM domains WHERE workspace_id = $workspaceId`
const announceNames = sql('workspaces.announce_names')`
  INSERT INTO changes (kind, ref) SELECT 'domain', unnest($ids::uuid[])`
// Partitions instead of partitioned tables: rows are located by ctid within one table.
/** Names of tables with workspace data, quoted for SQL. */
export const findTables = sql('workspaces.tables')`
  SELECT c.oid::regclass::text AS name!
  FROM pg_attribute a
  JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
  WHERE a.attname = 'workspace_id' AND NOT a.attisdropped
    AND c.relnamespace = current_schema()::regnamespace
  ORDER BY 1`
/** Pairs of tables: one references the other, or has rows that a trigger deletes with its rows. */
export const findReferences = sql('workspaces.references')`
  SELECT DISTINCT conrelid::regclass::text AS child!,
         confrelid::regclass::text AS parent!
  FROM pg_constraint WHERE contype = 'f' AND conrelid <> confrelid
  UNION ALL
  SELECT child, 'devices'
  FROM unnest(ARRAY['device_labels', 'device_secrets', 'registration_answers']) AS t (child)`

/** Invalidates the workspace's domain names in every process. */
export async function releaseNames(
  trx: Db,
  workspaceId: string,
  refOf: (name: string) => string,
): Promise<void> {
  const rows = await namesOf.rows(trx, { workspaceId })
  if (rows.length > 0) await announceNames.rows(trx, { ids: rows.map(({ name }) => refOf(name)) })
}

/** @param table from `findTables` @returns the number of deleted rows */
export async function deleteRows(
  trx: Db,
  table: string,
  workspaceId: string,
  limit: number,
): Promise<number> {
  const text = `WITH gone AS (
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE workspace_id = $1 LIMIT $2))
      RETURNING 1)
    SELECT count(*) AS deleted FROM gone`
  const rows = await trx.query<{ deleted: number }>(unnamed(text), [workspaceId, limit])
  return rows[0]?.deleted ?? 0
}

/** @param table from `findTables` */
export async function countRows(db: Db, table: string, workspaceId: string): Promise<number> {
  const text = `SELECT count(*) AS found FROM ${table} WHERE workspace_id = $1`
  return (await db.query<{ found: number }>(unnamed(text), [workspaceId]))[0]?.found ?? 0
}
