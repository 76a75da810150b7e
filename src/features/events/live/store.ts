/**
 * Reads of watched resources, for all streams of a process at once: values that change without an
 * event, such as a state or the counts of a job. Only primary keys and indexes of what is open.
 */
import { composed, sql } from '../../../platform/database/sql.ts'
import { NewestDelivery, WatchedCommands } from './schema.ts'

const watched = `unnest($workspaceIds::uuid[], $ids::uuid[]) AS w (workspace_id, id)`
const of = (table: string): string =>
  `FROM ${table} t WHERE t.workspace_id = w.workspace_id AND t.device_id = w.id`

const commands = `(SELECT json_object_agg(c.id, c.status) FROM (
    SELECT t.id, t.status ${of('device_commands')} ORDER BY t.id DESC LIMIT 10) c)`

/** A device keeps few attempts; of its commands only the newest are of interest. */
export const readDevices = sql('live.devices')`
  SELECT w.workspace_id AS workspace_id!, w.id AS id!,
    (SELECT t.revision ${of('device_states')}) AS state_revision,
    (SELECT max(t.version) ${of('device_configs')}) AS config_version,
    (SELECT t.reported_at ${of('device_config_reports')}) AS config_reported_at,
    (SELECT t.last_seen_at ${of('device_presence')}) AS last_seen_at,
    (SELECT max(greatest(t.last_at, t.ended_at)) ${of('connection_attempts')})
      AS connection_logged_at,
    (SELECT md5(string_agg(t.id || ' ' || t.revision, ',' ORDER BY t.id)) ${of('device_notes')})
      AS notes_digest,
    ${composed(commands, WatchedCommands, 'commands')}
  FROM ${watched}`

/** Watched ones of a table, and those that are open in a watched fleet. */
const watchedOrOpen = (table: string): string =>
  `(SELECT w.workspace_id, w.id FROM ${watched}
    UNION
    SELECT o.workspace_id, o.id FROM ${table} o
    WHERE o.workspace_id = ANY ($fleets::uuid[]) AND o.ended_at IS NULL) AS a
   JOIN ${table} t ON t.workspace_id = a.workspace_id AND t.id = a.id`

/** @param fleets workspaces whose open jobs are watched */
export const readJobs = sql('live.jobs')`
  SELECT t.workspace_id, t.id, t.status, t.total, t.succeeded, t.failed, t.skipped
  FROM ${watchedOrOpen('jobs')}`

export const readCampaigns = sql('live.campaigns')`
  SELECT t.workspace_id, t.id, t.status, t.wave, t.total, t.due, t.waiting, t.notified, t.rotated,
    t.confirmed, t.failed
  FROM ${watchedOrOpen('rotation_campaigns')}`

const newest = `(SELECT json_build_object('id', d.id, 'tries', d.tries) FROM webhook_deliveries d
  WHERE d.workspace_id = c.workspace_id AND d.webhook_id = c.webhook_id
  ORDER BY d.id DESC LIMIT 1)`

export const readWebhooks = sql('live.webhooks')`
  SELECT c.workspace_id, c.webhook_id AS id, c.failures,
    ${composed(newest, NewestDelivery, 'newest')}
  FROM webhook_cursors c
  JOIN ${watched} ON c.workspace_id = w.workspace_id AND c.webhook_id = w.id`
