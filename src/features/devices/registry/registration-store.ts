/**
 * The statement that registers devices, one or many: device, secrets, audit entry and event commit
 * together, and for a provision key also its quota and the encrypted responses. Columns are arrays.
 */
import { type Db, type Statement, statement } from '../../../platform/database/connect.ts'
import type { Origin } from '../../../platform/record/event.ts'

/** A device and everything that is written with it. */
export interface NewDevice {
  workspaceId: string
  deviceId: string
  deviceKey: string
  name: string
  templateId: string | null
  hardwareId: string | null
  tags: Record<string, string>
  /** Null: the device has no secrets for now. */
  mqttHash: Buffer | null
  httpHash: Buffer | null
  origin: Origin
  auditId: string
  eventId: string
  /** Public id. */
  resourceId: string
  data: Record<string, unknown>
}

/** A device that staff or an import adds. */
export interface StaffDevice extends NewDevice {
  customFields: Record<string, unknown>
  config: Record<string, unknown>
}

/** A device that a provision key registers. */
export interface Registration extends NewDevice {
  keyId: string
  hasQuota: boolean
  /** The workspace's slug as the response contains it. */
  slug: string
  approval: 'approved' | 'pending'
  /** The whole response, encrypted for the caller's key. */
  sealed: Buffer
  /** Set if the request had an Idempotency-Key. */
  answer: { scope: Buffer; keyHash: Buffer; fingerprint: Buffer } | undefined
}

// Staff's rows may all have labels: they are written for all rows at once. A setting that ends with
// the transaction disables the trigger for single devices.
const LABELLING = `home AS MATERIALIZED (
    SELECT set_config('mooring.labels', 'written', true) AS id
  )`
const LABELS = `, labels AS (
    INSERT INTO device_labels (workspace_id, label, device_id)
    SELECT $1, l.label, done.id
    FROM done, device_label_texts(done.device_key, done.name, done.tags, done.custom_fields)
      AS l (label)
    ON CONFLICT DO NOTHING
  )`
// The slug is part of the device's topics and possibly its key, so it must be the one in the
// response. A change of the slug waits for this lock and then sees that there is a device.
const HOME = `home AS (
    SELECT id FROM workspaces WHERE id = $1 AND slug = $20 AND status = 'active' FOR KEY SHARE
  )`
// The key is locked before anything is counted, so no other registration takes what is left of its
// quota meanwhile. Rows beyond it are left out.
const ALLOWANCE = `, allowance AS (
    SELECT coalesce(k.device_quota - k.registered, cardinality($4::uuid[])) AS rows
    FROM api_keys k WHERE k.workspace_id = $1 AND k.id = $19 AND k.revoked_at IS NULL
    FOR NO KEY UPDATE
  )`
const LIMIT = 'LIMIT greatest(0, coalesce((SELECT allowance.rows FROM allowance), 0))'
const COUNTED = `, counted AS (
    UPDATE api_keys k SET registered = registered + (SELECT count(*) FROM device)
    WHERE k.workspace_id = $1 AND k.id = $19 AND EXISTS (SELECT FROM device)
  )`
const ANSWERS = `, first_answer AS (
    INSERT INTO registration_answers (workspace_id, device_id, key_id, sealed)
    SELECT $1, id, $19, sealed FROM done
  )`
const STORED_ANSWER = `, answer AS (
    INSERT INTO idempotency_keys (scope, key_hash, fingerprint, sealed)
    SELECT $22, $23, $24, sealed FROM done
  )`

interface Variant {
  /** By a provision key; else by staff, who hold the workspace's row locked. */
  isByKey: boolean
  hasQuota: boolean
  /** A row that meets an existing device (or its twin further up) is left out; else an error. */
  skips: boolean
  isAnswered: boolean
}

const registering = ({ isByKey, hasQuota, skips, isAnswered }: Variant): Statement =>
  statement(
    isByKey
      ? `provisioning.register${skips ? '_many' : ''}${hasQuota ? '.quota' : ''}${isAnswered ? '.answered' : ''}`
      : 'devices.register',
    `WITH ${isByKey ? HOME : LABELLING}${hasQuota ? ALLOWANCE : ''}, input AS (
    SELECT * FROM unnest($4::uuid[], $5::text[], $6::text[], $7::uuid[], $8::text[], $9::jsonb[],
                         $10::bytea[], $11::bytea[], $12::uuid[], $13::uuid[], $14::text[],
                         $15::jsonb[], $16::text[], $17::text[],
                         ${isByKey ? '$18::bytea[]' : '$18::jsonb[], $19::jsonb[]'})
      AS t (id, device_key, name, template_id, hardware_id, tags, mqtt_hash, http_hash, audit_id,
            event_id, resource_id, data, request_id, address,
            ${isByKey ? 'sealed' : 'custom_fields, config'})
    ${hasQuota ? LIMIT : ''}
  ), device AS (
    INSERT INTO devices (workspace_id, id, device_key, name, template_id, hardware_id, tags,
                         ${isByKey ? 'approval' : 'custom_fields, config'})
    SELECT $1, input.id, device_key, name, template_id, hardware_id, tags,
           ${isByKey ? '$21' : 'custom_fields, config'}
    FROM home, input WHERE home.id IS NOT NULL
    ${skips ? 'ON CONFLICT DO NOTHING' : ''} RETURNING id
  )${hasQuota ? COUNTED : ''}, done AS (
    SELECT input.* FROM input JOIN device USING (id)
  )${isByKey ? ANSWERS : LABELS}${isAnswered ? STORED_ANSWER : ''}, secrets AS (
    INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
    SELECT $1, id, 'mqtt', 1, mqtt_hash FROM done WHERE mqtt_hash IS NOT NULL
    UNION ALL SELECT $1, id, 'http', 1, http_hash FROM done WHERE http_hash IS NOT NULL
  ), entry AS (
    INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                           resource_id, request_id, address, detail)
    SELECT $1, audit_id, $2, $3, 'device.registered', 'device', resource_id, request_id, address,
           data
    FROM done
  ), event AS (
    INSERT INTO events (workspace_id, id, type, subject_id, data)
    SELECT $1, event_id, 'device.registered', id, data FROM done
  )
  ${skips ? 'SELECT id FROM device' : 'SELECT (SELECT id FROM device), EXISTS (SELECT FROM home) AS home'}`,
  )

const NONE = { isByKey: false, hasQuota: false, skips: false, isAnswered: false }
const byStaff = registering({ ...NONE, skips: true })
const byKey = [false, true].map((hasQuota) => {
  const one = { ...NONE, isByKey: true, hasQuota }
  const answered = registering({ ...one, isAnswered: true })
  return { many: registering({ ...one, skips: true }), one: registering(one), answered }
})
const ofKey = ({ hasQuota }: Registration) => byKey[hasQuota ? 1 : 0] as (typeof byKey)[number]

/** As text, which the driver passes on as it is. */
const bytes = (value: Buffer | null): string | null => value && `\\x${value.toString('hex')}`

const commonValues = (first: NewDevice, rows: readonly NewDevice[]): unknown[] => [
  first.workspaceId,
  first.origin.actor.kind,
  first.origin.actor.id,
  rows.map((row) => row.deviceId),
  rows.map((row) => row.deviceKey),
  rows.map((row) => row.name),
  rows.map((row) => row.templateId),
  rows.map((row) => row.hardwareId),
  rows.map((row) => JSON.stringify(row.tags)),
  rows.map((row) => bytes(row.mqttHash)),
  rows.map((row) => bytes(row.httpHash)),
  rows.map((row) => row.auditId),
  rows.map((row) => row.eventId),
  rows.map((row) => row.resourceId),
  rows.map((row) => JSON.stringify(row.data)),
  rows.map((row) => row.origin.requestId),
  rows.map((row) => row.origin.address),
]

const valuesOfKey = (first: Registration, rows: readonly Registration[]): unknown[] => [
  ...commonValues(first, rows),
  rows.map((row) => bytes(row.sealed)),
  first.keyId,
  first.slug,
  first.approval,
]

/** @returns the ids of the new devices; the key or the hardware id of the others is taken */
export async function registerByStaff(
  db: Db,
  devices: readonly StaffDevice[],
): Promise<Set<string>> {
  const [first] = devices
  if (first === undefined) return new Set()
  const rows = await db.query<{ id: string }>(byStaff, [
    ...commonValues(first, devices),
    devices.map((row) => JSON.stringify(row.customFields)),
    devices.map((row) => JSON.stringify(row.config)),
  ])
  return new Set(rows.map(({ id }) => id))
}

/**
 * Registers devices of one key, of one request or of several; all are the same in `sharedBy`.
 * @returns the ids of the new devices; the others met a device that was there, a row further up, or
 * the end of the quota
 */
export async function registerByKey(
  db: Db,
  registrations: readonly Registration[],
): Promise<Set<string>> {
  const [first] = registrations
  if (first === undefined) return new Set()
  const rows = await db.query<{ id: string }>(ofKey(first).many, valuesOfKey(first, registrations))
  return new Set(rows.map(({ id }) => id))
}

/** The result of a registration: `moved` if the workspace's slug has changed. */
export type RegisterOutcome = 'registered' | 'quota_reached' | 'moved'

/** Registers one device of a key. Throws the unique violation of a conflict. */
export async function registerOne(db: Db, registration: Registration): Promise<RegisterOutcome> {
  const { answer } = registration
  const { one, answered } = ofKey(registration)
  const [row] = await db.query<{ id: string | null; home: boolean }>(answer ? answered : one, [
    ...valuesOfKey(registration, [registration]),
    ...(answer ? [answer.scope, answer.keyHash, answer.fingerprint] : []),
  ])
  if (row?.id) return 'registered'
  return row?.home ? 'quota_reached' : 'moved'
}
