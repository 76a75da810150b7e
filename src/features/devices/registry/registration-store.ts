/**
 * The statements that register devices, one or many: device, secrets, audit entry and event commit
 * together, and for a provision key also its quota and the encrypted responses. One text makes all
 * 13: `devices.register` for staff and imports, and twelve of provision keys, which differ in the
 * parts of `Variant`. The rows are arrays of their columns, or plain values of a single one: see
 * docs/decisions/0105-cost-of-a-registration.md.
 */
import { INSERT_AUDIT } from '../../../platform/database/audit-insert.ts'
import type { Db } from '../../../platform/database/connect.ts'
import {
  columnsOf,
  singleRow,
  sql,
  unnested,
  withUnseenArrays,
} from '../../../platform/database/sql.ts'
import type { originParams } from '../../common/row-key.ts'
import { secretsInsert } from '../../mqtt/device-secrets/secret-statements.ts'

/** A device and everything that is written with it. */
export interface NewDevice extends ReturnType<typeof originParams> {
  workspaceId: string
  id: string
  deviceKey: string
  name: string
  templateId: string | null
  hardwareId: string | null
  /** JSON, as `data` is. */
  tags: string
  /** Null: the device has no secrets for now. */
  mqttHash: Buffer | null
  httpHash: Buffer | null
  auditId: string
  eventId: string
  /** Public id. */
  resourceId: string
  data: string
  /** The trace context of the request, if it is traced. */
  traceparent: string | null
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
  response: { scope: Buffer; keyHash: Buffer; fingerprint: Buffer } | undefined
}

// The slug is part of the device's topics and possibly its key, so it must be the one in the
// response. A change of the slug waits for this lock and then sees that there is a device.
const HOME = `home AS (
    SELECT id FROM workspaces WHERE id = $workspaceId AND slug = $slug
      AND status = 'active' FOR KEY SHARE
  )`
// The key is locked before anything is counted, so no other registration takes what is left of its
// quota meanwhile. Rows beyond it are left out.
const allowance = (count: string): string => `allowance AS (
    SELECT coalesce(k.device_quota - k.registered, ${count}) AS rows
    FROM api_keys k WHERE k.workspace_id = $workspaceId AND k.id = $keyId AND k.revoked_at IS NULL
    FOR NO KEY UPDATE
  )`
const LIMIT = 'LIMIT greatest(0, coalesce((SELECT allowance.rows FROM allowance), 0))'
const COUNTED = `counted AS (
    UPDATE api_keys k SET registered = registered + (SELECT count(*) FROM device)
    WHERE k.workspace_id = $workspaceId AND k.id = $keyId AND EXISTS (SELECT FROM device)
  )`
const FIRST_RESPONSES = `first_answer AS (
    INSERT INTO registration_answers (workspace_id, device_id, key_id, sealed)
    SELECT $workspaceId, id, $keyId, sealed FROM done
  )`
const STORED_RESPONSE = `answer AS (
    INSERT INTO idempotency_keys (scope, key_hash, fingerprint, sealed)
    SELECT $scope, $keyHash, $fingerprint, sealed FROM done
  )`
// No trigger does this: Postgres parses a trigger's condition in each statement, and most devices
// that are registered have neither a name of their own nor tags.
const labels = (customFields: string): string => `labels AS (
    INSERT INTO device_labels (workspace_id, label, device_id)
    SELECT $workspaceId, l.label, done.id
    FROM done, device_label_texts(done.device_key, done.name, done.tags, ${customFields})
      AS l (label)
    ON CONFLICT DO NOTHING
  )`

const FIRST_SECRETS = secretsInsert({
  from: 'done',
  device: 'done.id',
  generation: '1',
  mqttHash: 'mqtt_hash',
  httpHash: 'http_hash',
})

const COLUMNS = `id uuid, deviceKey text, name text, templateId? uuid, hardwareId? text, tags jsonb,
  mqttHash? bytea, httpHash? bytea, auditId uuid, eventId uuid, resourceId text, data jsonb,
  requestId? text, address? text, traceparent? text`
const OF_KEY = 'sealed bytea'
const OF_STAFF = 'customFields jsonb, config jsonb'

interface Variant {
  /** By a provision key; else by staff, who hold the workspace's row locked. */
  isByKey: boolean
  hasQuota: boolean
  /**
   * Rows of which one that meets an existing device (or its twin further up) is left out; else a
   * single row, for which that is an error.
   */
  isMany: boolean
  hasResponse: boolean
  /** Some of the rows have a name, tags or custom fields to be found by. */
  hasLabels: boolean
}

/** The rows that are given, their number, and those whose device was inserted. */
const INPUT_OF_MANY = {
  count: 'cardinality($id::uuid[])',
  input: (fields: string, limit: string) =>
    `input AS (SELECT * FROM ${unnested('t', fields)} ${limit})`,
  done: 'done AS (SELECT input.* FROM input JOIN device USING (id))',
}
// Each reader gets the parameters themselves: there is nothing to materialize and no row to join.
const INPUT_OF_ONE = {
  count: '1',
  input: (fields: string, limit: string) =>
    `input AS NOT MATERIALIZED (SELECT ${singleRow(fields)} ${limit})`,
  done: 'done AS NOT MATERIALIZED (SELECT input.* FROM input WHERE EXISTS (SELECT FROM device))',
}

const registering = (variant: Variant): string => {
  const { isByKey, hasQuota, isMany, hasResponse, hasLabels } = variant
  const { count, input, done } = isMany ? INPUT_OF_MANY : INPUT_OF_ONE
  const parts = [
    isByKey && HOME,
    hasQuota && allowance(count),
    input(`${COLUMNS}, ${isByKey ? OF_KEY : OF_STAFF}`, hasQuota ? LIMIT : ''),
    `device AS (
    INSERT INTO devices (workspace_id, id, device_key, name, template_id, hardware_id, tags,
                         ${isByKey ? 'approval' : 'custom_fields, config'})
    SELECT $workspaceId, input.id, device_key, name, template_id, hardware_id, tags,
           ${isByKey ? '$approval FROM home, input' : 'custom_fields, config FROM input'}
    ${isMany ? 'ON CONFLICT DO NOTHING' : ''} RETURNING id
  )`,
    hasQuota && COUNTED,
    done,
    isByKey && FIRST_RESPONSES,
    hasResponse && STORED_RESPONSE,
    hasLabels && labels(isByKey ? "'{}'" : 'done.custom_fields'),
    `secrets AS (
    ${FIRST_SECRETS}
  )`,
    `entry AS (
    ${INSERT_AUDIT}
    SELECT $workspaceId, audit_id, $actorKind, $actorId?, 'device.registered', 'device',
      resource_id, request_id, address, data FROM done
  )`,
    `event AS (
    INSERT INTO events (workspace_id, id, type, subject_id, data, traceparent)
    SELECT $workspaceId, event_id, 'device.registered', id, data, traceparent FROM done
  )`,
  ]
  return `WITH ${parts.filter((part) => part !== false).join(', ')}
  SELECT ${isMany ? 'id FROM device' : '(SELECT id FROM device), EXISTS (SELECT FROM home) AS home!'}`
}

const NONE = {
  isByKey: false,
  hasQuota: false,
  isMany: false,
  hasResponse: false,
  hasLabels: false,
}
const one = { ...NONE, isByKey: true }
const stored = { ...one, hasResponse: true }
const many = { ...one, isMany: true }
const quota = { hasQuota: true }
const labelled = { hasLabels: true }
// The labels, of which each row may have many, make a plan for one row seem cheap.
const byStaff = sql('devices.register', withUnseenArrays)`
  ${registering({ ...NONE, ...labelled, isMany: true })}`
const withoutLabels = {
  withoutQuota: {
    one: sql('provisioning.register')`${registering(one)}`,
    stored: sql('provisioning.register.stored')`${registering(stored)}`,
    many: sql('provisioning.register_many')`${registering(many)}`,
  },
  withQuota: {
    one: sql('provisioning.register.quota')`${registering({ ...one, ...quota })}`,
    stored: sql('provisioning.register.quota.stored')`${registering({ ...stored, ...quota })}`,
    many: sql('provisioning.register_many.quota')`${registering({ ...many, ...quota })}`,
  },
}
const withLabels = {
  withoutQuota: {
    one: sql('provisioning.register.labels')`${registering({ ...one, ...labelled })}`,
    stored: sql('provisioning.register.stored.labels')`${registering({ ...stored, ...labelled })}`,
    many: sql('provisioning.register_many.labels', withUnseenArrays)`
      ${registering({ ...many, ...labelled })}`,
  },
  withQuota: {
    one: sql('provisioning.register.quota.labels')`
      ${registering({ ...one, ...quota, ...labelled })}`,
    stored: sql('provisioning.register.quota.stored.labels')`
      ${registering({ ...stored, ...quota, ...labelled })}`,
    many: sql('provisioning.register_many.quota.labels', withUnseenArrays)`
      ${registering({ ...many, ...quota, ...labelled })}`,
  },
}

const isLabelled = ({ name, deviceKey, tags }: NewDevice) => name !== deviceKey || tags !== '{}'

const statementsFor = (registrations: readonly Registration[], hasQuota: boolean) => {
  const byQuota = registrations.some(isLabelled) ? withLabels : withoutLabels
  return hasQuota ? byQuota.withQuota : byQuota.withoutQuota
}

const paramsOf = <Row extends NewDevice>(first: Row, rows: readonly Row[]) => {
  const { workspaceId, actorKind, actorId } = first
  return { ...columnsOf(rows), workspaceId, actorKind, actorId }
}

const paramsOfKey = (first: Registration, rows: readonly Registration[]) => {
  const { keyId, slug, approval } = first
  return { ...paramsOf(first, rows), keyId, slug, approval }
}

/** @returns the ids of the new devices; the key or the hardware id of the others is taken */
export async function registerByStaff(
  db: Db,
  devices: readonly StaffDevice[],
): Promise<Set<string>> {
  const [first] = devices
  if (first === undefined) return new Set()
  const rows = await byStaff.rows(db, {
    ...paramsOf(first, devices),
    customFields: devices.map((row) => JSON.stringify(row.customFields)),
    config: devices.map((row) => JSON.stringify(row.config)),
  })
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
  const { many } = statementsFor(registrations, first.hasQuota)
  const rows = await many.rows(db, paramsOfKey(first, registrations))
  return new Set(rows.map(({ id }) => id))
}

/** The result of a registration: `moved` if the workspace's slug has changed. */
export type RegisterOutcome = 'registered' | 'quota_reached' | 'moved'

/** Registers one device of a key. Throws the unique violation of a conflict. */
export async function registerOne(db: Db, registration: Registration): Promise<RegisterOutcome> {
  const { response, hasQuota } = registration
  const { one, stored } = statementsFor([registration], hasQuota)
  const row = await (response
    ? stored.first(db, { ...registration, ...response })
    : one.first(db, registration))
  if (row?.id) return 'registered'
  return row?.home ? 'quota_reached' : 'moved'
}
