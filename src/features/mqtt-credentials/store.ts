/** The one read behind a CONNECT: everything that decides it, found by the device's id alone. */
import { type PointReader, statement } from '../../database/connect.ts'
import type { TopicRule } from '../../broker/port.ts'

export interface CredentialRow {
  workspace_id: string
  id: string
  device_key: string
  status: 'registered' | 'active' | 'suspended' | 'decommissioned'
  approval: 'approved' | 'pending' | 'rejected'
  template_id: string | null
  sessions_from: number
  slug: string
  workspace_status: string
  mqtt_acl: TopicRule[] | null
  secrets: SecretColumn[] | null
}

export interface SecretColumn {
  generation: number
  /** Base64. */
  hash: string
  /** Milliseconds since the epoch; null once it is confirmed. */
  expires_at: number | null
}

const byDevice = statement(
  'mqtt_credentials.by_device',
  `SELECT d.workspace_id, d.id, d.device_key, d.status, d.approval, d.template_id,
          d.sessions_from, w.slug, w.status AS workspace_status, t.mqtt_acl,
          (SELECT json_agg(json_build_object(
                    'generation', s.generation, 'hash', encode(s.hash, 'base64'),
                    'expires_at', extract(epoch FROM s.expires_at) * 1000))
           FROM device_secrets s
           WHERE s.workspace_id = d.workspace_id AND s.device_id = d.id AND s.kind = 'mqtt'
          ) AS secrets
   FROM devices d
   JOIN workspaces w ON w.id = d.workspace_id
   LEFT JOIN device_templates t ON t.workspace_id = d.workspace_id AND t.id = d.template_id
   WHERE d.id = $1`,
)

export async function findCredential(
  points: PointReader,
  deviceId: string,
): Promise<CredentialRow | undefined> {
  return (await points.query<CredentialRow>(byDevice, [deviceId]))[0]
}
