/** A device with rows in the large tables, and parameters with which statements find them. */
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { newUuid, parseId } from '../../../src/platform/lib/ids.ts'
import type { TestApp } from '../../support/app.ts'
import { newPhone } from '../../support/phones-and-devices.ts'
import { until } from '../../support/until.ts'

/** @param hash of a token and of a claim code */
const insertRows = (
  workspace: string,
  template: string,
  { device, moid, hash }: { device: string; moid: string | undefined; hash: string },
): string => `
  INSERT INTO devices (workspace_id, id, device_key, name, template_id)
    VALUES ('${workspace}', '${device}', 'looked-at', 'Looked at', '${template}');
  INSERT INTO device_presence (workspace_id, device_id, connected, incarnation, node_id,
      last_seen_at)
    VALUES ('${workspace}', '${device}', true, 1, gen_random_uuid(), now());
  INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
    VALUES ('${workspace}', '${device}', 'http', 1, '${hash}');
  INSERT INTO claims (workspace_id, id, shown_by, moid_id, device_id, code_hash, status,
      expires_at, bound_at)
    VALUES ('${workspace}', gen_random_uuid(), 'phone', '${moid}', '${device}', '${hash}', 'bound',
      now(), now())`

const OTHERS = 40
/** Rows of other workspaces in each table: the planner knows that there are many. */
const ROWS = 2_000

const insertOthers = `
  INSERT INTO workspaces (id, name, slug)
    SELECT gen_random_uuid(), 'Other', 'other-' || n FROM generate_series(1, ${OTHERS}) AS n;
  INSERT INTO devices (workspace_id, id, device_key, name)
    SELECT w.id, gen_random_uuid(), 'other-' || n, 'Other'
    FROM workspaces w, generate_series(1, ${ROWS / OTHERS}) AS n WHERE w.name = 'Other';
  INSERT INTO device_presence (workspace_id, device_id, connected, incarnation, node_id,
      last_seen_at)
    SELECT workspace_id, id, true, 1, gen_random_uuid(), now() FROM devices WHERE name = 'Other';
  INSERT INTO device_commands (workspace_id, id, device_id, name, payload, expires_at)
    SELECT workspace_id, gen_random_uuid(), id, 'reboot', 'null', now() + interval '1 hour'
    FROM devices WHERE name = 'Other';
  INSERT INTO audit_log (workspace_id, id, actor_kind, action, seq)
    SELECT workspace_id, gen_random_uuid(), 'service', 'device.read',
      row_number() OVER (PARTITION BY workspace_id)
    FROM devices WHERE name = 'Other';
  ANALYZE`

const scalars = {
  name: 'Renamed',
  tags: '{}',
  customFields: '{}',
  config: '{}',
  limit: '10',
  before: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  occurredAt: '2100-01-01',
  sessionsFrom: '1',
  nodeId: newUuid(),
}

/** The elements of lists with one element each, by the member of a row or by its plural. */
const elements = {
  eventId: newUuid(),
  auditId: newUuid(),
  resourceId: 'dev_looked-at',
  deviceKey: 'looked-at',
  state: '"{}"',
  data: '"{}"',
  version: '7',
  status: 'applied',
  at: '9999999999999',
  incarnation: '9',
  connected: 'false',
  address: '127.0.0.1',
  protocolVersion: '4',
  ok: 'true',
}

/** @returns literals of parameters, by their names in statements; names of lists end in `[]` */
export async function rowsToFind(client: pg.Client, app: TestApp): Promise<Record<string, string>> {
  const { uuid: workspace, template } = app.seed
  const device = newUuid()
  const moid = parseId('moid', (await newPhone(app)).moidId)
  const hash = `\\x${randomBytes(32).toString('hex')}`
  await client.query(insertOthers)
  await client.query(insertRows(workspace, template.uuid, { device, moid, hash }))
  const { rows } = await client.query<{ slug: string }>(
    'SELECT slug FROM workspaces WHERE id = $1',
    [workspace],
  )
  await until('an entry is in the audit chain', async () => {
    const chain = 'SELECT FROM audit_chains WHERE workspace_id = $1'
    return (await client.query(chain, [workspace])).rowCount === 1
  })
  const lists = {
    ...elements,
    workspaceId: workspace,
    deviceId: device,
    id: device,
    slug: rows[0]?.slug ?? '',
  }
  return {
    ...scalars,
    workspaceId: workspace,
    id: device,
    deviceId: device,
    principalId: device,
    templateId: template.uuid,
    moidId: moid ?? '',
    hash,
    ...Object.fromEntries(
      Object.entries(lists).flatMap(([name, value]) =>
        [`${name}[]`, `${name}s[]`].map((each) => [each, `{${value}}`]),
      ),
    ),
  }
}
