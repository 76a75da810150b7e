/** Queries that write audit entries and append them to the chains. */
import type { Db } from '../../../platform/database/connect.ts'
import { NIL_UUID, MAX_UUID } from '../../../platform/lib/ids.ts'
import { columnsOf, sql, unnested } from '../../../platform/database/sql.ts'
import * as store from './store.ts'

/** Workspaces of devices, MQTT principals and phone logins, by their UUIDs. */
export const findWorkspacesOf = sql('audit_log.workspaces_of')`
  SELECT id AS id!, workspace_id AS workspace_id! FROM devices WHERE id = ANY($ids::uuid[])
  UNION ALL
  SELECT id, workspace_id FROM mqtt_principals WHERE id = ANY($ids::uuid[])
  UNION ALL
  SELECT id, workspace_id FROM moid_mqtt_logins WHERE id = ANY($ids::uuid[])`
// Skips from workspace to workspace in the key of the queue.
const pending = sql('audit_queue.pending')`
  WITH RECURSIVE pending AS (
    (SELECT workspace_id FROM audit_queue WHERE (workspace_id, id) > ($workspaceId::uuid, $id::uuid)
     ORDER BY workspace_id, id LIMIT 1)
    UNION ALL
    SELECT (SELECT q.workspace_id FROM audit_queue q WHERE q.workspace_id > p.workspace_id
            ORDER BY q.workspace_id LIMIT 1)
    FROM pending p WHERE p.workspace_id IS NOT NULL
  )
  SELECT workspace_id AS workspace_id! FROM pending WHERE workspace_id IS NOT NULL LIMIT $limit`
// A chain that lost its head must not restart: it stays unchained, and verification explains why.
/** Starts missing chains. `seq` of these heads must be 0. */
export const beginChains = sql('audit_chains.begin')`
  INSERT INTO audit_chains (workspace_id, seq, hash, mac, sealed_at)
  SELECT w.workspace_id, 0, w.hash, w.mac, now()
  FROM ${unnested('w', 'workspace_id uuid, hash bytea, mac bytea')}
  WHERE NOT EXISTS (SELECT FROM audit_chains c WHERE c.workspace_id = w.workspace_id)
    AND NOT EXISTS (SELECT FROM audit_log a
                    WHERE a.workspace_id = w.workspace_id AND a.seq IS NOT NULL)
    AND NOT EXISTS (SELECT FROM audit_batches b WHERE b.workspace_id = w.workspace_id)
  ORDER BY w.workspace_id
  ON CONFLICT (workspace_id) DO NOTHING`
/** Heads that no other process has locked, locked until the transaction ends. */
export const lockHeads = sql('audit_chains.lock')`
  SELECT workspace_id, seq, hash, mac FROM audit_chains
  WHERE workspace_id = ANY($workspaceIds::uuid[]) ORDER BY workspace_id FOR UPDATE SKIP LOCKED`
/** The number of the newest root key that is in use. */
export const readNewestRoot = sql('audit_chains.newest_root')`
  SELECT coalesce(max(number), 1)::int AS number! FROM root_keys WHERE active_from <= now()`
/** Chains from a workspace on, in order, and locked. */
export const lockChainsFrom = sql('audit_chains.lock_from')`
  SELECT workspace_id, seq, hash, mac, pruned_seq, pruned_hash, pruned_mac FROM audit_chains
  WHERE workspace_id >= $workspaceId ORDER BY workspace_id LIMIT $limit FOR UPDATE`
export const updateMacs = sql('audit_chains.renew')`
  UPDATE audit_chains SET mac = $mac, pruned_mac = $prunedMac? WHERE workspace_id = $workspaceId`
// Whole rows, as many as have fewer than `limit` entries before them.
const dequeue = sql('audit_queue.take')`
  DELETE FROM audit_queue q USING unnest($workspaceIds::uuid[]) AS w (id) CROSS JOIN LATERAL (
    SELECT id FROM (
      SELECT id, sum(cardinality(ids)) OVER (ORDER BY id) - cardinality(ids) AS before FROM (
        SELECT id, ids FROM audit_queue WHERE workspace_id = w.id ORDER BY id LIMIT $limit
      ) AS oldest
    ) AS counted WHERE before < $limit
  ) AS taken
  WHERE q.workspace_id = w.id AND q.id = taken.id
  RETURNING q.workspace_id, q.id, q.ids`
const entries = sql('audit_log.entries')`
  SELECT ${store.entryColumns} FROM ${unnested('e', 'workspaceId uuid, id uuid')}
  JOIN audit_log a ON a.workspace_id = e.workspace_id AND a.id = e.id`
export const insertBatches = sql('audit_batches.insert')`
  INSERT INTO audit_batches (workspace_id, first_seq, last_seq, ids, hashes, least_id, greatest_id)
  SELECT workspace_id, min(seq), max(seq), array_agg(id ORDER BY seq), array_agg(hash ORDER BY seq),
         (array_agg(id ORDER BY id))[1], (array_agg(id ORDER BY id DESC))[1]
  FROM ${unnested('s', 'workspaceId uuid, id uuid, seq bigint, hash bytea')}
  GROUP BY workspace_id, (seq - 1) / ${store.BATCH_ENTRIES}`
export const moveHeads = sql('audit_chains.move')`
  UPDATE audit_chains c SET seq = h.seq, hash = h.hash, mac = h.mac, sealed_at = now()
  FROM ${unnested('h', 'workspace_id uuid, seq bigint, hash bytea, mac bytea')}
  WHERE c.workspace_id = h.workspace_id`

/** Workspaces with unchained entries, in order; after `after` if given. */
export async function findPending(
  db: Db,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await pending.rows(db, {
    workspaceId: after ?? NIL_UUID,
    id: after === undefined ? NIL_UUID : MAX_UUID,
    limit,
  })
  return rows.map((row) => row.workspace_id)
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/**
 * Takes the oldest entries of each workspace out of the queue: at least `limit` if there are as
 * many, since those of one statement stay together.
 * @returns the entries of each workspace in the order in which they are chained
 * @throws Error if one of them is not there any more
 */
export async function takeEntries(
  trx: Db,
  workspaceIds: readonly string[],
  limit: number,
): Promise<Map<string, store.EntryRow[]>> {
  const taken = await dequeue.rows(trx, { workspaceIds, limit })
  const queued = taken
    .toSorted((a, b) => compare(a.workspace_id, b.workspace_id) || compare(a.id, b.id))
    .flatMap(({ workspace_id: workspaceId, ids }) => ids.map((id) => ({ workspaceId, id })))
  if (queued.length === 0) return new Map()
  const found = await entries.rows(trx, columnsOf(queued))
  const byId = new Map(found.map((row) => [row.id, row]))
  const rows = queued.map(({ workspaceId, id }) => {
    const row = byId.get(id)
    if (row?.workspace_id === workspaceId) return row
    throw new Error(`the entry ${id} was deleted before it was chained`)
  })
  return Map.groupBy(rows, (row) => row.workspace_id)
}

export interface ChainedEntry {
  workspaceId: string
  id: string
  seq: number
  hash: Buffer
}

export type WholeChain = store.ChainHead & store.ChainStart
