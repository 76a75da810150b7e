/** Queries on workspaces for operators: numbers and names, and nothing of what is in them. */
import { sql } from '../../../platform/database/sql.ts'
import { MAX_COUNT } from '../../common/bounded-count.ts'

/** The plan that `w` has chosen, by its name; its limits apply before its prices do. */
const CHOSEN_PLAN = `(SELECT t.plan ->> 'name' FROM subscription_terms t
      WHERE t.workspace_id = w.id ORDER BY t.starts_at DESC LIMIT 1)`

/** The number of devices of each workspace, at most one more than `MAX_COUNT`, and its plan. */
export const findSummaries = sql('operator.workspace_summaries')`
  SELECT w.id AS id!, (SELECT count(*) FROM (
    SELECT FROM devices d WHERE d.workspace_id = w.id LIMIT ${MAX_COUNT + 1}) AS d) AS devices!,
    ${CHOSEN_PLAN} AS chosen_plan
  FROM unnest($ids::uuid[]) AS w (id)`
export const findTenant = sql('operator.workspace')`
  SELECT w.id, w.slug, w.name, w.status, w.mfa_required, w.created_at, w.erase_at,
    (SELECT count(*) FROM memberships m WHERE m.workspace_id = w.id) AS members!,
    (SELECT count(*) FROM (
       SELECT FROM devices d WHERE d.workspace_id = w.id LIMIT ${MAX_COUNT + 1}) AS d) AS devices!,
    (SELECT count(*) FROM (
       SELECT FROM mqtt_connections c WHERE c.workspace_id = w.id LIMIT ${MAX_COUNT + 1}
     ) AS c) AS connected!,
    (SELECT count(*) FROM device_templates t WHERE t.workspace_id = w.id) AS templates!,
    (SELECT count(*) FROM api_keys k WHERE k.workspace_id = w.id AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now())) AS api_keys!,
    (SELECT count(*) FROM mqtt_principals p WHERE p.workspace_id = w.id) AS mqtt_principals!,
    (SELECT count(*) FROM webhooks h WHERE h.workspace_id = w.id) AS webhooks!,
    (SELECT count(*) FROM webhook_cursors c
     JOIN webhooks h ON h.workspace_id = c.workspace_id AND h.id = c.webhook_id
     WHERE c.workspace_id = w.id AND c.probe_at IS NOT NULL AND h.status = 'enabled'
    ) AS webhooks_failing!,
    ARRAY(SELECT d.name FROM domains d WHERE d.workspace_id = w.id ORDER BY d.name) AS domains!,
    ARRAY(SELECT d.name FROM domains d WHERE d.workspace_id = w.id AND d.status <> 'verified'
          ORDER BY d.name) AS unverified_domains!,
    ${CHOSEN_PLAN} AS chosen_plan
  FROM workspaces w WHERE w.id = $id`
export const listPeople = sql('operator.people')`
  SELECT u.id AS user_id, u.email, u.status, m.role
  FROM memberships m JOIN users u ON u.id = m.user_id
  WHERE m.workspace_id = $id
  ORDER BY array_position(ARRAY['owner', 'admin', 'member', 'viewer'], m.role), u.email LIMIT 200`
/** The workspaces of invitations, and the latest e-mails of those that are pending. */
export const findInvitationMails = sql('operator.invitation_mails')`
  SELECT i.id, i.workspace_id,
    CASE WHEN i.status = 'pending' THEN (
      SELECT m.status FROM mail_outbox m
      WHERE m.workspace_id = i.workspace_id AND m.recipient = i.email ORDER BY m.id DESC LIMIT 1
    ) END AS mail
  FROM invitations i WHERE i.id = ANY ($ids::uuid[])`
