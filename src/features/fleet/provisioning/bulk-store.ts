/** Registering many devices of one key in one statement, of one request or of several. */
import { type Db, type Statement, statement } from '../../../platform/database/connect.ts'
import { HOME, type Registration } from './write-store.ts'

// The key is locked before anything is counted, so no other registration takes what is left of its
// quota meanwhile. Rows beyond it are left out; each goes alone then, and is told.
const ALLOWANCE = `, allowance AS (
    SELECT coalesce(k.device_quota - k.registered, $22) AS rows
    FROM api_keys k WHERE k.workspace_id = $1 AND k.id = $6 AND k.revoked_at IS NULL
    FOR NO KEY UPDATE
  )`
const COUNTED = `, counted AS (
    UPDATE api_keys k SET registered = registered + (SELECT count(*) FROM device)
    WHERE k.workspace_id = $1 AND k.id = $6
  )`
const LIMIT = 'LIMIT greatest(0, coalesce((SELECT allowance.rows FROM allowance), 0))'

// A row that meets an existing device (or its twin further up) is left out, not an error.
const registerManyStatement = (quota: boolean, oneRequest: boolean) =>
  statement(
    `provisioning.register_many${quota ? '.quota' : ''}${oneRequest ? '' : '.requests'}`,
    `WITH ${HOME}${quota ? ALLOWANCE : ''}, input AS (
    SELECT * FROM unnest($7::uuid[], $8::text[], $9::text[], $10::uuid[], $11::text[], $12::jsonb[],
                         $13::bytea[], $14::bytea[], $15::bytea[], $16::uuid[], $17::uuid[],
                         $18::text[], $19::jsonb[]${oneRequest ? '' : ', $4::text[], $5::text[]'})
      AS t (id, device_key, name, template_id, hardware_id, tags, mqtt_hash, http_hash, sealed,
            audit_id, event_id, resource_id, data${oneRequest ? '' : ', request_id, address'})
    ${quota ? LIMIT : ''}
  ), device AS (
    INSERT INTO devices (workspace_id, id, device_key, name, template_id, hardware_id, tags,
                         approval)
    SELECT $1, input.id, device_key, name, template_id, hardware_id, tags, $21 FROM home, input
    ON CONFLICT DO NOTHING RETURNING id
  )${quota ? COUNTED : ''}, done AS (
    SELECT input.* FROM input JOIN device USING (id)
  ), secrets AS (
    INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
    SELECT $1, id, 'mqtt', 1, mqtt_hash FROM done
    UNION ALL SELECT $1, id, 'http', 1, http_hash FROM done
  ), first_answer AS (
    INSERT INTO registration_answers (workspace_id, device_id, key_id, sealed)
    SELECT $1, id, $6, sealed FROM done
  ), entry AS (
    INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                           resource_id, request_id, address, detail)
    SELECT $1, audit_id, $2, $3, 'device.registered', 'device', resource_id,
           ${oneRequest ? '$4, $5' : 'request_id, address'}, data
    FROM done
  ), event AS (
    INSERT INTO events (workspace_id, id, type, subject_id, data)
    SELECT $1, event_id, 'device.registered', id, data FROM done
  )
  SELECT id FROM device`,
  )

const registerMany = {
  ofOne: [registerManyStatement(false, true), registerManyStatement(true, true)],
  ofSeveral: [registerManyStatement(false, false), registerManyStatement(true, false)],
} as const

/** What rows of several requests can share a statement by, as they are of one key. */
export const sharedBy = (row: Registration): string =>
  `${row.workspaceId} ${row.keyId} ${row.slug} ${row.approval} ${row.hasQuota}`

/**
 * Registers many devices of one key in one statement. @returns the ids of those that are new; the
 * others met a device that was there, or a row further up.
 */
export async function registerDevices(
  db: Db,
  registrations: readonly Registration[],
): Promise<Set<string>> {
  const [first] = registrations
  if (first === undefined) return new Set()
  const { requestId, address } = first.origin
  const { ofOne } = registerMany
  return write(db, ofOne[first.hasQuota ? 1 : 0], first, registrations, [requestId, address])
}

/** The same for rows of several requests, all of which are the same in `sharedBy`. */
export async function registerOfSeveral(
  db: Db,
  registrations: readonly Registration[],
): Promise<Set<string>> {
  const [first] = registrations
  if (first === undefined) return new Set()
  const requestIds = registrations.map(({ origin }) => origin.requestId)
  const addresses = registrations.map(({ origin }) => origin.address)
  const { ofSeveral } = registerMany
  return write(db, ofSeveral[first.hasQuota ? 1 : 0], first, registrations, [requestIds, addresses])
}

async function write(
  db: Db,
  chosen: Statement,
  first: Registration,
  registrations: readonly Registration[],
  requests: readonly [ids: unknown, addresses: unknown],
): Promise<Set<string>> {
  const { actor } = first.origin
  const rows = await db.query<{ id: string }>(chosen, [
    first.workspaceId,
    actor.kind,
    actor.id,
    ...requests,
    first.keyId,
    registrations.map((row) => row.deviceId),
    registrations.map((row) => row.deviceKey),
    registrations.map((row) => row.name),
    registrations.map((row) => row.templateId),
    registrations.map((row) => row.hardwareId),
    registrations.map((row) => JSON.stringify(row.tags)),
    registrations.map((row) => row.mqttHash),
    registrations.map((row) => row.httpHash),
    registrations.map((row) => row.sealed),
    registrations.map((row) => row.auditId),
    registrations.map((row) => row.eventId),
    registrations.map((row) => row.resourceId),
    registrations.map((row) => JSON.stringify(row.data)),
    first.slug,
    first.approval,
    ...(first.hasQuota ? [registrations.length] : []),
  ])
  return new Set(rows.map(({ id }) => id))
}
