/**
 * One statement finds things of all kinds but devices, of which there are too many: of each kind it
 * examines the newest ones, up to a limit.
 */
import { sql } from '../../../platform/database/sql.ts'

/** SQL about the rows `t` of a kind; by default its table is called like the kind. */
interface Part {
  kind: string
  from?: string
  id?: string
  label?: string
  detail?: string
  status?: string
}

const parts: readonly Part[] = [
  { kind: 'device_template', detail: 't.model_key' },
  { kind: 'device_group' },
  {
    kind: 'api_key',
    detail: 't.hint',
    status: `CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked'
                  WHEN t.expires_at <= now() THEN 'expired' ELSE 'active' END`,
  },
  {
    kind: 'person',
    from: 'memberships t JOIN users u ON u.id = t.user_id',
    id: 't.user_id',
    label: "CASE u.name WHEN '' THEN u.email ELSE u.name END",
    detail: 'u.email',
    status: 't.role',
  },
  { kind: 'mqtt_principal', detail: 't.description', status: 't.status' },
  { kind: 'job', label: 't.action', status: 't.status' },
  { kind: 'domain', detail: 't.purpose', status: 't.status' },
  {
    kind: 'webhook',
    label: 't.url',
    detail: "coalesce(t.description, '')",
    status: 't.status',
  },
]

const partOf = ({
  kind,
  from = `${kind}s t`,
  id = 't.id',
  label = 't.name',
  detail = "''",
  status = 'NULL::text',
}: Part): string =>
  `(SELECT s.* FROM (
      SELECT '${kind}' AS kind, ${id} AS id, ${label} AS label, ${detail} AS detail,
             ${status} AS status
      FROM ${from}
      WHERE '${kind}' = ANY ($kinds::text[]) AND t.workspace_id = $workspaceId
        AND ($id?::uuid IS NULL OR ${id} = $id)
      ORDER BY ${id} DESC LIMIT $examined
    ) AS s
    WHERE $id IS NOT NULL OR strpos(lower(s.label || ' ' || s.detail), $text) > 0
    ORDER BY strpos(lower(s.label), $text) = 1 DESC, s.id DESC LIMIT $limit)`

/** @param id UUID of the one thing to find; `text` is in lower case */
export const findByText = sql('search.by_text')`
  SELECT p.kind AS kind!, p.id AS id!, p.label AS label!, p.detail AS detail!, p.status
  FROM (${parts.map(partOf).join('\nUNION ALL\n')}) AS p`

export const readDevices = sql('search.devices')`
  SELECT id, device_key, name, hardware_id, status FROM devices
  WHERE workspace_id = $workspaceId AND id = ANY ($ids::uuid[])`
