/** The parts of a workspace that do not work, or soon will not. */
import { sql } from '../../../platform/database/sql.ts'

/** A webhook that failed once is tried again soon; a paused one has failed for a while. */
const webhooks = `
  SELECT 'webhook_disabled' AS kind, w.id, COALESCE(NULLIF(w.description, ''), w.url) AS name
  FROM webhooks w
  WHERE w.workspace_id = $workspaceId AND w.status = 'disabled' AND w.disabled_reason <> 'asked'
  UNION ALL
  SELECT 'webhook_failing', w.id, COALESCE(NULLIF(w.description, ''), w.url)
  FROM webhooks w
  JOIN webhook_cursors c ON c.workspace_id = w.workspace_id AND c.webhook_id = w.id
  WHERE w.workspace_id = $workspaceId AND w.status = 'enabled'
    AND c.failing_since IS NOT NULL AND c.probe_at IS NOT NULL`

const domains = `
  SELECT CASE d.status WHEN 'lapsed' THEN 'domain_lapsed' WHEN 'verified' THEN 'domain_failing'
                       ELSE 'domain_unverified' END, d.id, d.name
  FROM domains d
  WHERE d.workspace_id = $workspaceId
    AND (d.status = 'lapsed' OR d.failing_since IS NOT NULL
         OR (d.status = 'pending' AND d.last_error IS NOT NULL))`

/** Nobody renews an uploaded one; the service has a day for others. */
const certificates = `
  SELECT CASE WHEN c.not_after <= now() THEN 'certificate_expired' ELSE 'certificate_expiring' END,
         d.id, d.name
  FROM domain_certificates c
  JOIN domains d ON d.workspace_id = c.workspace_id AND d.id = c.domain_id
  WHERE c.workspace_id = $workspaceId
    AND (c.not_after <= now()
         OR (c.renew_at IS NULL AND c.not_after <= now() + interval '30 days')
         OR c.renew_at <= now() - interval '1 day')`

/** The last order failed, and no certificate has come since. */
const orders = `
  SELECT CASE WHEN o.is_renewal THEN 'renewal_failed' ELSE 'issuance_failed' END, d.id, d.name
  FROM domains d
  JOIN LATERAL (
    SELECT status, is_renewal, ended_at FROM acme_orders
    WHERE workspace_id = d.workspace_id AND domain_id = d.id ORDER BY created_at DESC LIMIT 1
  ) AS o ON o.status = 'failed'
  WHERE d.workspace_id = $workspaceId AND NOT EXISTS (
    SELECT FROM domain_certificates c
    WHERE c.workspace_id = d.workspace_id AND c.domain_id = d.id AND c.created_at > o.ended_at)`

/** Nothing more of it happens until a person has decided. Few are open. */
const campaigns = `
  SELECT 'rotation_halted', r.id, COALESCE(r.filter, '')
  FROM rotation_campaigns r
  WHERE r.workspace_id = $workspaceId AND r.ended_at IS NULL AND r.status = 'halted'`

/** A client that loses its network may replace its own session now and then. */
const SEVERAL = 5

/** Devices whose sessions with one client id replaced each other until a moment ago. */
const replacedIn = (log: string, idColumn: string): string => `
  SELECT DISTINCT ${idColumn} FROM (
    SELECT ${idColumn}, client_id FROM ${log}
    WHERE workspace_id = $workspaceId AND replaced_at > now() - interval '5 minutes'
    GROUP BY ${idColumn}, client_id
    HAVING count(*) >= ${SEVERAL} AND max(replaced_at) > now() - interval '1 minute'
  ) AS several`

const deviceConflicts = `
  SELECT 'device_client_id_conflict', d.id, d.name
  FROM devices d JOIN (${replacedIn('connection_attempts', 'device_id')}) AS r ON r.device_id = d.id
  WHERE d.workspace_id = $workspaceId`

const loginConflicts = `
  SELECT 'login_client_id_conflict', p.id, p.name
  FROM mqtt_principals p
  JOIN (${replacedIn('mqtt_principal_attempts', 'principal_id')}) AS r ON r.principal_id = p.id
  WHERE p.workspace_id = $workspaceId`

/** The first examples of each kind, with the number of all. */
export const findTroubles = sql('overview.troubles')`
  WITH trouble (kind, id, name) AS (
    SELECT * FROM (${webhooks}) AS w WHERE $seesWebhooks
    UNION ALL
    SELECT * FROM (${[domains, certificates, orders].join('\n UNION ALL ')}) AS d
    WHERE $seesDomains
    UNION ALL ${campaigns}
    UNION ALL ${deviceConflicts}
    UNION ALL SELECT * FROM (${loginConflicts}) AS l WHERE $seesLogins
  ), numbered AS (
    SELECT kind, id, name, count(*) OVER (PARTITION BY kind) AS count,
           row_number() OVER (PARTITION BY kind ORDER BY name, id) AS place
    FROM trouble
  )
  SELECT kind AS kind!, id AS id!, name AS name!, count::int AS count!
  FROM numbered WHERE place <= $examples ORDER BY kind, place`
