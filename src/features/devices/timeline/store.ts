/**
 * The events of one device, in one statement: each part is a bounded scan of an index, newest
 * first, and their heads are merged. All ids are UUIDv7, so they are the common order in time.
 */
import { composed, sql } from '../../../platform/database/sql.ts'
import { NIL_UUID } from '../../../platform/lib/ids.ts'
import { sessionOf } from '../../mqtt/connection-log/session-statements.ts'
import { EntryRow } from './schema.ts'

export const deviceExists = sql('device_timeline.device')`
  SELECT 1 FROM devices WHERE workspace_id = $workspaceId AND id = $deviceId`

const ms = (column: string): string => `floor(extract(epoch FROM ${column}) * 1000)::float8`

/** The end of each part: after the cursor, not beyond what is examined, and no more than a page. */
const page = (id: string): string =>
  `AND ${id} < $before::uuid AND ${id} >= (SELECT id FROM edge)
   ORDER BY ${id} DESC LIMIT $limit`

const connections = `SELECT c.id, ${ms('c.at')} AS at,
    jsonb_build_object('connection', jsonb_build_object('refusal', c.refusal,
      'attempts', c.attempts, 'client_id', c.client_id, 'address', c.address,
      'protocol_version', c.protocol_version, 'at', ${ms('c.at')},
      'last_at', ${ms('c.last_at')}, 'ended_at', ${ms('c.ended_at')},
      'end_reason', c.end_reason, 'session', ${sessionOf('c')})) AS entry
  FROM connection_attempts c
  WHERE 'connection' = ANY ($kinds::text[])
    AND c.workspace_id = $workspaceId AND c.device_id = $deviceId ${page('c.id')}`

const commands = `SELECT m.id, ${ms('m.created_at')},
    jsonb_build_object('command', jsonb_build_object('name', m.name, 'status', m.status,
      'error', m.error, 'created_by', m.created_by, 'ended_at', ${ms('m.ended_at')}))
  FROM device_commands m
  WHERE 'command' = ANY ($kinds::text[])
    AND m.workspace_id = $workspaceId AND m.device_id = $deviceId ${page('m.id')}`

const notes = `SELECT n.id, ${ms('n.created_at')},
    jsonb_build_object('note', jsonb_build_object('text', n.text,
      'author', jsonb_build_object('kind', n.author_kind, 'id', n.author_id)))
  FROM device_notes n
  WHERE 'note' = ANY ($kinds::text[])
    AND n.workspace_id = $workspaceId AND n.device_id = $deviceId ${page('n.id')}`

// A version has no id: its time and its number make one. Few versions are kept, so all are sorted.
// The first is the one that the device was registered with.
const configs = `SELECT v.id, ${ms('v.changed_at')},
    jsonb_build_object('config', jsonb_build_object('version', v.version,
      'changed_by', v.changed_by))
  FROM (
    SELECT version, changed_by, changed_at,
      (lpad(to_hex(floor(extract(epoch FROM changed_at) * 1000)::bigint), 12, '0') || '70008'
        || lpad(to_hex(version), 15, '0'))::uuid AS id
    FROM device_configs
    WHERE 'config' = ANY ($kinds::text[])
      AND workspace_id = $workspaceId AND device_id = $deviceId AND version > 1
  ) AS v
  WHERE true ${page('v.id')}`

const reports = `SELECT e.id, ${ms('e.occurred_at')},
    jsonb_build_object('report', jsonb_build_object('version', e.data->'version',
      'status', e.data->'status', 'error', e.data->'error'))
  FROM events e
  WHERE 'config_report' = ANY ($kinds::text[])
    AND e.workspace_id = $workspaceId AND e.subject_id = $deviceId
    AND e.type = 'device.config_reported' ${page('e.id')}`

// A change of the configuration alone is a version.
const acts = `SELECT a.id, ${ms('a.occurred_at')},
    jsonb_build_object('act', jsonb_build_object('action', a.action,
      'actor', jsonb_build_object('kind', a.actor_kind, 'id', a.actor_id),
      'detail', a.detail))
  FROM audit_log a
  WHERE cardinality($actions::text[]) > 0
    AND a.workspace_id = $workspaceId AND a.resource_id = $publicId AND a.action = ANY ($actions)
    AND NOT (a.action = 'device.updated' AND a.detail->'changed' = '["config"]')
    ${page('a.id')}`

/** The audit log has entries about the device that the timeline does not show. */
const edge = `SELECT coalesce((
    SELECT id FROM audit_log
    WHERE cardinality($actions::text[]) > 0
      AND workspace_id = $workspaceId AND resource_id = $publicId
      AND id < $before::uuid
    ORDER BY id DESC OFFSET $scan LIMIT 1
  ), '${NIL_UUID}') AS id`

/** @param scan how many entries of the audit log are examined, at least `limit` */
export const readEntries = sql('device_timeline.page')`
  WITH edge AS MATERIALIZED (${edge})
  SELECT edge.id AS edge!, t.id AS id?, t.at, ${composed('t.entry', EntryRow, 'entry')}
  FROM edge LEFT JOIN LATERAL (
    SELECT * FROM (
      ${[connections, commands, notes, configs, reports, acts].map((part) => `(${part})`).join('\nUNION ALL\n')}
    ) AS p
    ORDER BY p.id DESC LIMIT $limit
  ) AS t ON true
  ORDER BY t.id DESC`
