/** Queries on bridges: the holder of each, and the device that a topic belongs to. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'

// One statement, by the database's clock: of many processes, one gets it.
/**
 * Takes a free bridge or renews one's own lease.
 * @param problem why it is not connected; null if it is
 * @returns whether it is held
 */
export const takeBridge = sql('broker_bridges.take')`
  INSERT INTO broker_bridges AS b (name, holder, expires_at, problem)
  VALUES ($name, $holder, now() + make_interval(secs => $expiresAt), $problem?)
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at,
    problem = excluded.problem
  WHERE b.holder = excluded.holder OR b.expires_at <= now()
  RETURNING 1`
/** Releases a bridge for other processes. */
export const releaseBridge = sql('broker_bridges.release')`
  UPDATE broker_bridges SET expires_at = now() WHERE name = $name AND holder = $holder`
/** Devices that may connect, by topic prefix. */
export const findByPrefix = sql('broker_bridges.devices')`
  SELECT w.slug, d.device_key, d.workspace_id, d.id, d.status = 'registered' AS is_first!
  FROM unnest($slug::text[], $deviceKey::text[]) AS g (slug, device_key)
  JOIN workspaces w ON w.slug = g.slug AND w.status = 'active'
  JOIN devices d ON d.workspace_id = w.id AND d.device_key = g.device_key
  WHERE d.status IN ('registered', 'active')`

const problem = sql('broker_bridges.problem')`
  SELECT problem FROM broker_bridges WHERE name = $name AND expires_at > now()`

/** Why a bridge is not connected, by its holder; null: it is connected; undefined: no holder. */
export const problemOfBridge = async (db: Db, name: string): Promise<string | null | undefined> =>
  (await problem.first(db, { name }))?.problem

/** The devices that may connect and are not known to be connected anywhere. */
export const findStalePresence = sql('broker_bridges.silent')`
  SELECT w.slug, d.device_key, d.workspace_id, d.id
  FROM devices d
  JOIN workspaces w ON w.id = d.workspace_id AND w.status = 'active'
  LEFT JOIN device_presence p ON p.workspace_id = d.workspace_id AND p.device_id = d.id
  WHERE d.id = ANY ($ids::uuid[]) AND d.status IN ('registered', 'active')
    AND p.connected IS NOT TRUE`
