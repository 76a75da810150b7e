/** Queries of the domain directory. */
import type { PointReader } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export interface DomainOfHost {
  /** UUID. */
  domainId: string
  /** UUID. */
  workspaceId: string
  purpose: 'mqtt' | 'api'
  /** Never pending. A lapsed domain stays assigned until another workspace verifies it. */
  status: 'verified' | 'lapsed' | 'pending'
}

// Among former owners, the latest.
const byHost = sql(
  'domains.by_host',
  `SELECT id, workspace_id, purpose, status FROM domains
   WHERE name = $name AND status <> 'pending'
   ORDER BY status = 'verified' DESC, verified_at DESC, id LIMIT 1`,
)
/** A workspace's verified domains, oldest first. */
export const findMqttHosts = sql(
  'domains.mqtt_hosts',
  `SELECT d.name, c.not_before AS "certifiedFrom", c.not_after AS "certifiedUntil"
   FROM domains d LEFT JOIN domain_certificates c
     ON c.workspace_id = d.workspace_id AND c.domain_id = d.id
   WHERE d.workspace_id = $workspaceId AND d.purpose = 'mqtt' AND d.status = 'verified'
   ORDER BY d.verified_at, d.id`,
)

export type MqttHost = RowOf<typeof findMqttHosts>

export async function findByHost(
  points: PointReader,
  name: string,
): Promise<DomainOfHost | undefined> {
  const rows = await byHost.rows(points, { name })
  const [row] = rows
  if (row === undefined) return undefined
  const { id: domainId, workspace_id: workspaceId, purpose, status } = row
  return { domainId, workspaceId, purpose, status }
}
