/** Queries of the directory of domains. */
import { type PointReader, statement } from '../../database/connect.ts'

export interface DomainOfHost {
  /** UUID. */
  domainId: string
  /** UUID. */
  workspaceId: string
  purpose: 'mqtt' | 'api'
  /** One that has lapsed is still nobody else's, until another workspace verifies it. */
  status: 'verified' | 'lapsed'
}

// Of several who have lost a name it is the last one's.
const byHost = statement(
  'domains.by_host',
  `SELECT id, workspace_id, purpose, status FROM domains
   WHERE name = $1 AND status <> 'pending'
   ORDER BY status = 'verified' DESC, verified_at DESC, id LIMIT 1`,
)
const mqttHost = statement(
  'domains.mqtt_host',
  `SELECT name FROM domains
   WHERE workspace_id = $1 AND purpose = 'mqtt' AND status = 'verified'
   ORDER BY verified_at, id LIMIT 1`,
)

export async function findByHost(
  points: PointReader,
  name: string,
): Promise<DomainOfHost | undefined> {
  const rows = await points.query<{
    id: string
    workspace_id: string
    purpose: DomainOfHost['purpose']
    status: DomainOfHost['status']
  }>(byHost, [name])
  const [row] = rows
  if (row === undefined) return undefined
  const { id: domainId, workspace_id: workspaceId, purpose, status } = row
  return { domainId, workspaceId, purpose, status }
}

export async function findMqttHost(
  points: PointReader,
  workspaceId: string,
): Promise<string | undefined> {
  return (await points.query<{ name: string }>(mqttHost, [workspaceId]))[0]?.name
}
