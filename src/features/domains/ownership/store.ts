/** Queries on domains. */
import type { Db } from '../../../platform/database/connect.ts'
import { composed, type RowOf, sql, stored } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import { CertificateSummary, ProofError } from './schema.ts'

const own = `workspace_id, id, name, purpose, status, value, verified_at, failing_since,
  warned_at, checked_at, ${stored('last_error', ProofError)}, created_by, revision, created_at, updated_at`
const certificate = `(
  SELECT json_build_object('source', c.source, 'fingerprint', c.fingerprint,
                           'not_after', extract(epoch FROM c.not_after) * 1000)
  FROM domain_certificates c
  WHERE c.workspace_id = domains.workspace_id AND c.domain_id = domains.id)`
const columns = `${own}, ${composed(certificate, CertificateSummary, 'certificate')}`

export const insertDomain = sql('domains.insert')`
  INSERT INTO domains (workspace_id, id, name, purpose, value, created_by)
  VALUES ($workspaceId, $id, $name, $purpose, $value, $createdBy) RETURNING ${columns}`
// A separate statement, which sees what was committed before it got the lock.
const hold = sql('domains.hold_workspace')`SELECT FROM workspaces WHERE id = $id FOR NO KEY UPDATE`
const count = sql('domains.count')`
  SELECT count(*) AS n FROM domains WHERE workspace_id = $workspaceId`
export const findDomain = sql('domains.by_id')`
  SELECT ${columns} FROM domains WHERE workspace_id = $workspaceId AND id = $id`
export type DomainRow = RowOf<typeof findDomain>
export const lockDomain = sql('domains.lock')`
  SELECT ${columns}, now() AS now FROM domains WHERE workspace_id = $workspaceId AND id = $id
  FOR UPDATE`
export const removeDomain = sql('domains.remove')`
  DELETE FROM domains WHERE workspace_id = $workspaceId AND id = $id`
// Checks are spread with jitter, so that domains added together do not stay in step.
/** Stores the result of a check; the next one is due in `$seconds`, with 10 % jitter. */
export const settleDomain = sql('domains.settle')`
  UPDATE domains
  SET status = $status,
      verified_at = CASE WHEN $status = 'verified' AND status <> 'verified' THEN now()
                         ELSE verified_at END,
      failing_since = to_timestamp($failingSince?::float8 / 1000), warned_at = to_timestamp($warnedAt?::float8 / 1000),
      checked_at = now(), last_error = $lastError?,
      next_check_at = CASE WHEN $status <> 'pending'
        THEN now() + make_interval(secs => $seconds * (0.9 + 0.2 * random())) END,
      revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
// Takes due rows for a limited time; rows of a killed process become due again.
/** Takes due domains: no other process gets them for `seconds`. */
export const takeDueDomains = sql('domains.take_due')`
  UPDATE domains d SET next_check_at = now() + make_interval(secs => $seconds)
  FROM (SELECT workspace_id, id FROM domains WHERE next_check_at <= now()
        ORDER BY next_check_at LIMIT $limit FOR UPDATE SKIP LOCKED) due
  WHERE d.workspace_id = due.workspace_id AND d.id = due.id
  RETURNING d.workspace_id, d.id, d.name, d.value`

export const pageOfDomains = filteredList('domains.filtered', {
  columns: `${own}, certificate`,
  table: `(SELECT ${columns} FROM domains) domains`,
  fields: {
    name: { sql: 'name' },
    purpose: { sql: 'purpose' },
    status: { sql: 'status' },
    created_at: { sql: 'created_at', isTimeOfId: true },
  },
})

/** The number of a workspace's domains; blocks additions until the transaction ends. */
export async function countDomains(trx: Db, workspaceId: string): Promise<number> {
  await hold.run(trx, { id: workspaceId })
  return (await count.one(trx, { workspaceId })).n
}

/** With the transaction's time, in milliseconds since the epoch. */
export type LockedDomain = RowOf<typeof lockDomain>

export type DueDomain = RowOf<typeof takeDueDomains>

// Queries of the domain directory.

// Among former owners, the latest.
export const findByHost = sql('domains.by_host')`
  SELECT id AS "domainId", workspace_id AS "workspaceId", purpose, status FROM domains
  WHERE name = $name AND status <> 'pending'
  ORDER BY status = 'verified' DESC, verified_at DESC, id LIMIT 1`
/** A workspace's verified domains, oldest first. */
export const findMqttHosts = sql('domains.mqtt_hosts')`
  SELECT d.name, c.not_before AS "certifiedFrom", c.not_after AS "certifiedUntil"
  FROM domains d LEFT JOIN domain_certificates c
    ON c.workspace_id = d.workspace_id AND c.domain_id = d.id
  WHERE d.workspace_id = $workspaceId AND d.purpose = 'mqtt' AND d.status = 'verified'
  ORDER BY d.verified_at, d.id`

export type MqttHost = RowOf<typeof findMqttHosts>

/** Never pending. A lapsed domain stays assigned until another workspace verifies it. */
export type DomainOfHost = RowOf<typeof findByHost>
