/**
 * The data before a measurement, written directly to the database: a workspace with keys and a
 * template, devices with secrets, accounts.
 */
import type pg from 'pg'
import { createKeyring, type Keyring } from '../../src/platform/access/keyring.ts'
import { connectDatabase, type Database } from '../../src/platform/database/connect.ts'
import { generateDeviceSecrets } from '../../src/features/mqtt/device-secrets/device-secret.ts'
import { formatId, newUuid } from '../../src/platform/lib/ids.ts'
import {
  issueSecret,
  PLATFORM_KEY_PREFIX,
  PROVISION_KEY_PREFIX,
} from '../../src/platform/lib/secrets.ts'
import type { Statement } from '../../src/platform/database/query.ts'
import { insertLabels, insertPresence } from '../../test/support/device-rows.ts'

const statement = (name: string, text: string): Statement => ({ name, text })

const insertWorkspace = statement(
  'bench.workspace',
  `INSERT INTO workspaces (id, name, slug) VALUES ($1, 'Bench', $2)`,
)
const insertKey = statement(
  'bench.key',
  `INSERT INTO api_keys (workspace_id, id, kind, name, hash, hint, created_by)
   VALUES ($1, $2, $3, 'bench', $4, '…', 'bench')`,
)
const insertTemplate = statement(
  'bench.template',
  `INSERT INTO device_templates (workspace_id, id, model_key, name, serial_format)
   VALUES ($1, $2, 'sensor', 'Sensor', 'S-%#f')`,
)
// They have been connected before: a fleet that comes back, not one that comes for the first time.
const insertDevices = statement(
  'bench.devices',
  `WITH input AS (
     SELECT * FROM unnest($3::uuid[], $4::text[], $5::bytea[], $6::bytea[])
       AS t (id, device_key, mqtt_hash, http_hash)
   ), device AS (
     INSERT INTO devices (workspace_id, id, device_key, name, template_id, status, hardware_id, tags)
     SELECT $1, id, device_key, device_key, $2, 'active', 'hw-' || device_key,
            '{"line": "7", "site": "north"}'
     FROM input
   )
   INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash, is_used, confirmed_at)
   SELECT $1, id, 'mqtt', 1, mqtt_hash, true, now() FROM input
   UNION ALL SELECT $1, id, 'http', 1, http_hash, true, now() FROM input`,
)
const labels = statement('bench.labels', insertLabels('d.workspace_id = $1'))
const presence = statement('bench.presence', insertPresence('d.workspace_id = $1'))
const insertAccounts = statement(
  'bench.accounts',
  `WITH account AS (
     INSERT INTO users (id, email, password_hash)
     SELECT id, email, $3 FROM unnest($1::uuid[], $2::text[]) AS t (id, email)
     RETURNING id
   )
   INSERT INTO memberships (workspace_id, user_id, role) SELECT $4, id, 'member' FROM account`,
)
// Anyone who connects from now on plans for tables that are in use.
const settle = statement('bench.settle', 'VACUUM (ANALYZE)')

export interface SeededWorkspace {
  uuid: string
  /** `ws_…` */
  id: string
  platformKey: string
  provisionKey: string
  provisionKeyUuid: string
  templateUuid: string
  /** `tpl_…` */
  templateId: string
}

export interface SeededDevice {
  uuid: string
  /** `dev_…`, also the MQTT user name. */
  id: string
  mqttPassword: string
}

export interface Seeder {
  /** The slug of the first one is `bench`. */
  workspace(slug?: string): Promise<SeededWorkspace>
  devices(workspace: SeededWorkspace, count: number): Promise<SeededDevice[]>
  /** Accounts with one and the same password hash. @returns their addresses. */
  accounts(workspace: SeededWorkspace, passwordHash: string, count: number): Promise<string[]>
  close(): Promise<void>
}

async function seedKey(db: Database, keyring: Keyring, workspace: string, prefix: string) {
  const key = issueSecret(prefix)
  const uuid = newUuid()
  const kind = prefix === PLATFORM_KEY_PREFIX ? 'platform' : 'provision'
  await db.query(insertKey, [workspace, uuid, kind, keyring.hashSecret(key)])
  return { key, uuid }
}

async function seedWorkspace(
  db: Database,
  keyring: Keyring,
  slug: string,
): Promise<SeededWorkspace> {
  const uuid = newUuid()
  const templateUuid = newUuid()
  await db.query(insertWorkspace, [uuid, slug])
  const platform = await seedKey(db, keyring, uuid, PLATFORM_KEY_PREFIX)
  const provision = await seedKey(db, keyring, uuid, PROVISION_KEY_PREFIX)
  await db.query(insertTemplate, [uuid, templateUuid])
  return {
    uuid,
    id: formatId('ws', uuid),
    platformKey: platform.key,
    provisionKey: provision.key,
    provisionKeyUuid: provision.uuid,
    templateUuid,
    templateId: formatId('tpl', templateUuid),
  }
}

const BATCH = 5_000

async function seedDevices(
  db: Database,
  keyring: Keyring,
  { uuid: workspace, templateUuid }: SeededWorkspace,
  count: number,
): Promise<SeededDevice[]> {
  const seeded: SeededDevice[] = []
  while (seeded.length < count) {
    const rows = Array.from({ length: Math.min(BATCH, count - seeded.length) }, () => {
      const uuid = newUuid()
      return { uuid, id: formatId('dev', uuid), ...generateDeviceSecrets(keyring) }
    })
    await db.query(insertDevices, [
      workspace,
      templateUuid,
      rows.map((row) => row.uuid),
      rows.map((_, index) => `bench-${seeded.length + index}`),
      rows.map((row) => row.mqttHash),
      rows.map((row) => row.httpHash),
    ])
    seeded.push(...rows.map(({ uuid, id, mqttPassword }) => ({ uuid, id, mqttPassword })))
  }
  await db.query(labels, [workspace])
  await db.query(presence, [workspace])
  await db.query(settle)
  return seeded
}

export function openSeeder(connection: pg.PoolConfig, masterKey: Buffer): Seeder {
  const keyring = createKeyring(masterKey)
  const db = connectDatabase({
    connection,
    poolSize: 1,
    prepared: true,
    statementTimeoutMs: 60_000,
    acquireTimeoutMs: 10_000,
  })
  return {
    workspace: (slug = 'bench') => seedWorkspace(db, keyring, slug),
    devices: (workspace, count) => seedDevices(db, keyring, workspace, count),
    async accounts(workspace, passwordHash, count) {
      const ids = Array.from({ length: count }, newUuid)
      const emails = ids.map((_, index) => `bench-${index}@example.com`)
      await db.query(insertAccounts, [ids, emails, passwordHash, workspace.uuid])
      return emails
    },
    close: () => db.close(),
  }
}
