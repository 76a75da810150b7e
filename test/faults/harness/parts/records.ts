/**
 * Invariants of all tables: the audit log verifies, events and audit entries agree, nothing is
 * there twice, and no background task is stuck.
 */
import { until } from '../../../support/until.ts'
import type { Part, World } from '../world.ts'

const AGREE = `
  WITH types AS (SELECT unnest(ARRAY['device.registered', 'device.rotated', 'device.updated',
      'device.deleted', 'device.claimed', 'api_key.created', 'api_key.revoked',
      'member.added', 'member.removed', 'job.created', 'job.completed', 'job.cancelled', 'job.failed']) AS type),
  announced AS (SELECT type, count(*) AS n FROM events JOIN types USING (type)
           WHERE workspace_id = $1 GROUP BY type),
  audited AS (SELECT action AS type, count(*) AS n FROM audit_log
              JOIN types ON types.type = action WHERE workspace_id = $1 GROUP BY action)
  SELECT type, announced.n AS events, audited.n AS entries FROM announced FULL JOIN audited USING (type)
  WHERE announced.n IS DISTINCT FROM audited.n`

const TWICE = `
  SELECT hardware_id AS name, count(*) AS n FROM devices WHERE hardware_id IS NOT NULL
  GROUP BY workspace_id, hardware_id HAVING count(*) > 1
  UNION ALL
  SELECT resource_id, count(*) FROM audit_log WHERE action IN ('device.registered', 'device.deleted')
  GROUP BY action, resource_id HAVING count(*) > 1
  UNION ALL
  SELECT d.device_key, 0 FROM devices d WHERE d.workspace_id = $1 AND NOT EXISTS (
    SELECT FROM events e WHERE e.workspace_id = d.workspace_id AND e.subject_id = d.id
      AND e.type = 'device.registered')`

// A task that is enqueued again while it runs has no attempts left; without an error it is over.
const STUCK = `
  SELECT task_identifier AS task, attempts, last_error FROM graphile_worker.jobs
  WHERE attempts >= max_attempts AND last_error IS NOT NULL
     OR attempts < max_attempts AND locked_at IS NULL AND run_at < now() - interval '90 seconds'`

export class Records implements Part {
  readonly #world: World
  #verifiedSeq = 1

  constructor(world: World) {
    this.#world = world
  }

  async load(): Promise<void> {}

  async check(): Promise<void> {
    const world = this.#world
    const values = [world.place.workspaceUuid]
    await this.#verifyAudit()
    for (const [what, sql, given] of [
      ['events and audit entries differ', AGREE, values],
      ['is there twice, or has no event', TWICE, values],
      ['tasks are stuck', STUCK, undefined],
    ] as const) {
      const found = await world.rows(sql, given)
      if (found.length > 0) world.violate(`${what}: ${JSON.stringify(found).slice(0, 1_000)}`)
    }
  }

  async #verifyAudit(): Promise<void> {
    const world = this.#world
    const path = `${world.place.path}/audit-log/verify?from_seq=${this.#verifiedSeq}`
    const verified = await until('the audit log is chained', async () => {
      const { status, body } = await world.ask('GET', path)
      return (status !== 200 || body.unsealed === 0 || !body.valid) && body
    })
    if (verified.valid !== true) world.violate(`the audit log: ${JSON.stringify(verified)}`)
    this.#verifiedSeq = verified.sealed_to_seq ?? this.#verifiedSeq
  }
}
