/**
 * The least that a registration has to store: a device, its credential and an audit entry, each
 * with a primary key and nothing else. One statement writes them in one transaction.
 */
import type { Registration } from '../../src/features/devices/registry/device-registration.ts'
import type { RecordedQuery } from './recorded.ts'

/** The members of a registration that are stored. */
export type LeanRow = Pick<
  Registration,
  | 'workspaceId'
  | 'templateId'
  | 'keyId'
  | 'id'
  | 'deviceKey'
  | 'hardwareId'
  | 'mqttHash'
  | 'httpHash'
>

/** No references, no further indexes, no row-level security. */
export const LEAN_SCHEMA = `
  CREATE TABLE lean_devices (
    workspace_id uuid, id uuid, device_key text, template_id uuid, hardware_id text,
    tags jsonb DEFAULT '{}', created_at timestamptz DEFAULT now(),
    PRIMARY KEY (workspace_id, device_key));
  CREATE TABLE lean_credentials (device_id uuid PRIMARY KEY, mqtt_hash bytea, http_hash bytea);
  CREATE TABLE lean_audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, workspace_id uuid, action text,
    resource uuid, actor text, address text, at timestamptz DEFAULT now())`

const textOf = (input: string): string => `
  WITH input AS MATERIALIZED (${input}),
  device AS (
    INSERT INTO lean_devices (workspace_id, id, device_key, template_id, hardware_id)
    SELECT $1, id, device_key, $2, hardware_id FROM input RETURNING id
  ), credential AS (
    INSERT INTO lean_credentials SELECT id, mqtt_hash, http_hash FROM input
  ), audit AS (
    INSERT INTO lean_audit (workspace_id, action, resource, actor, address)
    SELECT $1, 'device.registered', id, $3, '127.0.0.1' FROM input
  )
  SELECT id FROM device`

const columns = 'id, device_key, hardware_id, mqtt_hash, http_hash'
const oneText = textOf(
  'SELECT $4::uuid AS id, $5::text AS device_key, $6::text AS hardware_id, ' +
    '$7::bytea AS mqtt_hash, $8::bytea AS http_hash',
)
const manyText = textOf(
  `SELECT * FROM unnest($4::uuid[], $5::text[], $6::text[], $7::bytea[], $8::bytea[]) t (${columns})`,
)

const commonOf = ({ workspaceId, templateId, keyId }: LeanRow): unknown[] => [
  workspaceId,
  templateId,
  keyId,
]

const valuesOf = (row: LeanRow): unknown[] => [
  row.id,
  row.deviceKey,
  row.hardwareId,
  row.mqttHash,
  row.httpHash,
]

export const leanOne = (row: LeanRow): RecordedQuery => ({
  name: 'lean.one',
  text: oneText,
  values: [...commonOf(row), ...valuesOf(row)],
})

const literal = (value: unknown): string =>
  Buffer.isBuffer(value) ? `"\\\\x${value.toString('hex')}"` : `"${String(value)}"`

/** @param rows of one workspace, template and key */
export function leanMany(rows: readonly LeanRow[]): RecordedQuery {
  const [first] = rows as [LeanRow]
  const lists = rows.map(valuesOf)
  const arrays = valuesOf(first).map(
    (_, at) => `{${lists.map((row) => literal(row[at])).join(',')}}`,
  )
  return { name: 'lean.many', text: manyText, values: [...commonOf(first), ...arrays] }
}
