/** Queries behind bridges: who holds one, and which device a topic belongs to. */
import { type Db, statement } from '../../database/connect.ts'

// One statement decides, by the clock of the database: of many processes one gets it.
const take = statement(
  'broker_bridges.take',
  `INSERT INTO broker_bridges AS b (name, holder, expires_at)
   VALUES ($1, $2, now() + make_interval(secs => $3))
   ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
   WHERE b.holder = excluded.holder OR b.expires_at <= now()
   RETURNING 1`,
)
const release = statement(
  'broker_bridges.release',
  'UPDATE broker_bridges SET expires_at = now() WHERE name = $1 AND holder = $2',
)
const devices = statement(
  'broker_bridges.devices',
  `SELECT w.slug, d.device_key, d.workspace_id, d.id, d.status = 'registered' AS is_first
   FROM unnest($1::text[], $2::text[]) AS g (slug, device_key)
   JOIN workspaces w ON w.slug = g.slug AND w.status = 'active'
   JOIN devices d ON d.workspace_id = w.id AND d.device_key = g.device_key
   WHERE d.status IN ('registered', 'active')`,
)

/** Takes a bridge that nobody holds, or holds one's own on. @returns whether it is held now. */
export async function takeBridge(
  db: Db,
  name: string,
  holder: string,
  seconds: number,
): Promise<boolean> {
  return (await db.query(take, [name, holder, seconds])).length > 0
}

/** Lets another process have it at once. */
export async function releaseBridge(db: Db, name: string, holder: string): Promise<void> {
  await db.query(release, [name, holder])
}

export interface PrefixRow {
  slug: string
  device_key: string
  workspace_id: string
  id: string
  /** Whether it was never connected before. */
  is_first: boolean
}

/** Devices that may connect, by what their topics begin with. */
export const findByPrefix = (
  db: Db,
  prefixes: readonly { slug: string; deviceKey: string }[],
): Promise<PrefixRow[]> =>
  db.query(devices, [prefixes.map(({ slug }) => slug), prefixes.map(({ deviceKey }) => deviceKey)])
