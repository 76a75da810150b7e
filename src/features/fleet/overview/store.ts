/** The counts of a workspace's overview. Each walks one index, up to a limit. */
import { sql } from '../../../platform/database/sql.ts'

const counted = (name: string, from: string): string =>
  `(SELECT count(*)::int FROM (
      SELECT FROM ${from} LIMIT $limit
    ) AS ${name}) AS ${name}!`

const devices = (condition: string): string =>
  `devices WHERE workspace_id = $workspaceId AND ${condition}`

export const countOverview = sql('overview.counts')`
  SELECT ${[
    counted('total', 'devices WHERE workspace_id = $workspaceId'),
    counted('connected', 'device_presence WHERE workspace_id = $workspaceId AND connected'),
    counted('claimed', devices('is_claimed')),
    counted('registered', devices("status = 'registered'")),
    counted('active', devices("status = 'active'")),
    counted('suspended', devices("status = 'suspended'")),
    counted('decommissioned', devices("status = 'decommissioned'")),
    counted('awaiting_approval', devices("approval = 'pending'")),
    counted('device_templates', 'device_templates WHERE workspace_id = $workspaceId'),
    counted(
      'provision_keys',
      "api_keys WHERE workspace_id = $workspaceId AND kind = 'provision' AND revoked_at IS NULL",
    ),
    counted('open_jobs', 'jobs WHERE workspace_id = $workspaceId AND ended_at IS NULL'),
  ].join(',\n')}`

const newestRefusals = (deviceId: string, loginId: string, log: string): string =>
  `(SELECT refusal, ${deviceId} AS device_id, ${loginId} AS login_id, attempts FROM ${log}
      WHERE workspace_id = $workspaceId AND refusal IS NOT NULL
        AND last_at > now() - interval '1 hour'
      ORDER BY last_at DESC LIMIT $limit)`

/** Attempts that follow each other alike are one row with their number. */
export const countRefusals = sql('overview.refusals')`
  SELECT refusal AS reason!, count(DISTINCT device_id)::int AS devices!,
         count(DISTINCT login_id)::int AS logins!, sum(attempts)::int AS attempts!
  FROM (
    ${newestRefusals('device_id', 'NULL::uuid', 'connection_attempts')}
    UNION ALL
    ${newestRefusals('NULL::uuid', 'principal_id', 'mqtt_principal_attempts')}
  ) AS newest
  GROUP BY refusal ORDER BY 4 DESC, 1`
