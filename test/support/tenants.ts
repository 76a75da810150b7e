/** A tenant with one thing of every kind that has an id, for laws about what tenants see. */
import { randomBytes } from 'node:crypto'
import type { AccessKind } from '../../src/platform/access/principal.ts'
import { formatId, type IdPrefix, newUuid } from '../../src/platform/lib/ids.ts'
import { as, type Headers, type TestApp } from './app.ts'
import { seedDevice, seedMoid } from './credentials.ts'
import { type SeededWorkspace, seedOperator } from './seed.ts'
import { seedForPeople } from './seeded-people.ts'

export interface Tenant {
  workspace: SeededWorkspace
  /** UUIDs by the prefix of the id. */
  things: Readonly<Partial<Record<IdPrefix, string>>>
  /** How each kind of caller of the tenant proves who it is. */
  callers: Readonly<Record<AccessKind, readonly Headers[]>>
}

const seededPlan = {
  id: 'seeded',
  name: 'Seeded',
  kind: 'pay_as_you_go',
  currency: 'EUR',
  base_amount: 100,
  limits: {},
  prices: [],
}

const insertClaim = `
  INSERT INTO claims (workspace_id, id, shown_by, moid_id, code_hash, status, device_id,
                      expires_at, bound_at)
  VALUES ($1, $2, 'phone', $3, $4, $5, $6, now() + interval '15 minutes',
          CASE $5 WHEN 'bound' THEN now() END)`

/** The resources of a device that have an id of their own. */
async function seedBelongings({ database }: TestApp, workspaceId: string, deviceId: string) {
  const cmd = newUuid()
  await database.pool.query(
    `INSERT INTO device_commands (workspace_id, id, device_id, name, payload, expires_at)
     VALUES ($1, $2, $3, 'reboot', '{}', now() + interval '1 hour')`,
    [workspaceId, cmd, deviceId],
  )
  const fld = newUuid()
  await database.pool.query(
    `INSERT INTO custom_fields (workspace_id, id, name, type) VALUES ($1, $2, 'floor', 'string')`,
    [workspaceId, fld],
  )
  const grp = newUuid()
  await database.pool.query(
    `INSERT INTO device_groups (workspace_id, id, name) VALUES ($1, $2, 'Seeded')`,
    [workspaceId, grp],
  )
  await database.pool.query(
    'INSERT INTO device_group_members (workspace_id, group_id, device_id) VALUES ($1, $2, $3)',
    [workspaceId, grp, deviceId],
  )
  const note = newUuid()
  await database.pool.query(
    `INSERT INTO device_notes (workspace_id, id, device_id, text, author_kind, author_id)
     VALUES ($1, $2, $3, 'x', 'user', 'usr_x')`,
    [workspaceId, note, deviceId],
  )
  const view = newUuid()
  await database.pool.query(
    `INSERT INTO views (workspace_id, id, name, created_by) VALUES ($1, $2, 'Seeded', 'usr_x')`,
    [workspaceId, view],
  )
  return { cmd, fld, grp, note, view }
}

/** Held by the process itself: a lock that no live process holds is released. */
async function seedConnection({ database, services }: TestApp, workspaceId: string) {
  const id = newUuid()
  await database.pool.query(
    `INSERT INTO mqtt_connections (workspace_id, id, principal_id, client_id, address, transport,
                                   protocol, credential_version, node, connected_at)
     VALUES ($1, $2, 'dev_x', 'x', '192.0.2.1', 'tls', '3.1.1', 1, $3, now())`,
    [workspaceId, id, `embedded/${services.nodeId}`],
  )
  return id
}

/** A rule of the same id in the lists of a device and of a principal. */
async function seedRules(
  { database: { pool } }: TestApp,
  workspaceId: string,
  owners: {
    dev: string
    mqp: string
  },
) {
  const acl = newUuid()
  const at = new Date().toISOString()
  const rule = { id: acl, action: 'publish', topic: '{slug}/x', permission: 'allow' }
  const rules = JSON.stringify([{ ...rule, created_at: at, updated_at: at }])
  await pool.query('INSERT INTO device_acls (workspace_id, device_id, rules) VALUES ($1, $2, $3)', [
    workspaceId,
    owners.dev,
    rules,
  ])
  await pool.query(
    'INSERT INTO mqtt_principal_acls (workspace_id, principal_id, rules) VALUES ($1, $2, $3)',
    [workspaceId, owners.mqp, rules],
  )
  return acl
}

/** A receipt that one process has verified. */
async function seedReceipt({ database }: TestApp, workspaceId: string) {
  const id = newUuid()
  const values = [workspaceId, id]
  await database.pool.query(
    `INSERT INTO mqtt_receipts (workspace_id, id, reason) VALUES ($1, $2, 'asked')`,
    values,
  )
  await database.pool.query(
    `INSERT INTO mqtt_receipt_nodes (workspace_id, receipt_id, node, verified_at)
     VALUES ($1, $2, 'embedded/x', now())`,
    values,
  )
  return id
}

const seedTraces = async (app: TestApp, workspaceId: string) => ({
  dom: await seedDomain(app, workspaceId),
  con: await seedConnection(app, workspaceId),
  rcp: await seedReceipt(app, workspaceId),
  ...(await seedWebhook(app, workspaceId)),
  ...(await seedPayment(app, workspaceId)),
})

/** A card, and a top-up with it that has failed. */
async function seedPayment({ database: { pool } }: TestApp, workspaceId: string) {
  const pm = newUuid()
  await pool.query(
    `INSERT INTO payment_methods (workspace_id, id, provider, status, setup_id, provider_id, brand,
                                  last4, exp_month, exp_year, created_by)
     VALUES ($1, $2, 'stripe', 'active', $3, $3, 'visa', '4242', 12, 2031, 'seed')`,
    [workspaceId, pm, `seeded ${pm}`],
  )
  const pay = newUuid()
  await pool.query(
    `INSERT INTO payments (workspace_id, id, kind, provider, provider_id, method_id, status, amount,
                           currency, failure_code, failure_message, created_by, ended_at)
     VALUES ($1, $2, 'top_up', 'stripe', $3, $4, 'failed', 100, 'EUR', 'seeded', '', 'seed', now())`,
    [workspaceId, pay, `seeded ${pay}`, pm],
  )
  return { pm, pay }
}

async function seedPrincipal({ database: { pool } }: TestApp, workspaceId: string) {
  const id = newUuid()
  await pool.query(
    `INSERT INTO mqtt_principals (workspace_id, id, name, created_by)
     VALUES ($1, $2, 'Seeded', 'seed')`,
    [workspaceId, id],
  )
  await pool.query(
    `INSERT INTO mqtt_principal_secrets (workspace_id, principal_id, generation, hash)
     VALUES ($1, $2, 1, $3)`,
    [workspaceId, id, randomBytes(32)],
  )
  return id
}

/** Its URL is refused before any name is asked for. */
async function seedWebhook({ database: { pool }, services }: TestApp, workspaceId: string) {
  const id = newUuid()
  await pool.query(
    `INSERT INTO webhooks (workspace_id, id, url, secret, status, created_by)
     VALUES ($1, $2, 'https://127.0.0.1/', $3, 'disabled', 'seed')`,
    [workspaceId, id, services.keyring.encrypt(randomBytes(32), `webhooks ${id}`)],
  )
  const dlv = newUuid()
  await pool.query(
    `INSERT INTO webhook_deliveries (workspace_id, webhook_id, id, event_id, seq, type, status,
                                     tries, attempts)
     VALUES ($1, $2, $3, $3, 0, 'device.deleted', 'dead', 1, '[]')`,
    [workspaceId, id, dlv],
  )
  return { whk: id, dlv }
}

/**
 * Its certificate is valid for long: anyone who watches over certificates has nothing to report.
 */
async function seedDomain({ database }: TestApp, workspaceId: string): Promise<string> {
  const id = newUuid()
  await database.pool.query(
    `INSERT INTO domains (workspace_id, id, name, purpose, value, created_by)
     VALUES ($1, $2, 'seeded.example.com', 'mqtt', 'x', 'seed')`,
    [workspaceId, id],
  )
  await database.pool.query(
    `INSERT INTO domain_certificates (workspace_id, domain_id, id, source, chain, sealed_key, names,
       issuer, serial_number, fingerprint, key_type, not_before, not_after)
     VALUES ($1, $2, $2, 'upload', 'x', 'x', '{}', 'x', 'x', 'x', 'P-256', now(),
             now() + interval '1 year')`,
    [workspaceId, id],
  )
  await database.pool.query(
    `INSERT INTO acme_orders (workspace_id, id, domain_id, name, challenge, status, next_at,
                              created_by, expires_at, ended_at)
     VALUES ($1, $2, $2, 'x', 'dns-01', 'issued', NULL, 'seed', now(), now())`,
    [workspaceId, id],
  )
  return id
}

async function seedInvitation({ database }: TestApp, { uuid }: SeededWorkspace): Promise<string> {
  const id = newUuid()
  await database.pool.query(
    `INSERT INTO invitations (workspace_id, id, email, role, token_hash, created_by, expires_at)
     VALUES ($1, $2, $3, 'viewer', $4, 'seed', now() + interval '1 day')`,
    [uuid, id, `${id.slice(-12)}@example.com`, randomBytes(32)],
  )
  return id
}

/** An open invoice, with the id of the invitation: both have ids of one kind. */
async function seedInvoice({ database }: TestApp, workspaceId: string, id: string): Promise<void> {
  const content = { lines: [], terms: [], tax: null, seller: ['Seller'], buyer: ['Buyer'] }
  await database.pool.query(
    `WITH next AS (UPDATE invoice_numbers SET last = last + 1 RETURNING last)
     INSERT INTO invoices (workspace_id, id, status, period_start, period_end, currency, number,
                           content, subtotal, tax, total, balance_used, issued_at, due_at)
     SELECT $1, $2, 'open', '2026-01-01Z', '2026-02-01Z', 'EUR', last, $3, 100, 0, 100, 0, now(),
            now() + interval '14 days' FROM next`,
    [workspaceId, id, JSON.stringify(content)],
  )
}

/** The rows of a paying workspace alongside invoices. */
async function seedBilling({ database: { pool } }: TestApp, workspaceId: string): Promise<void> {
  const values = [workspaceId]
  await pool.query(
    `INSERT INTO subscriptions (workspace_id, currency, drafted_until)
     VALUES ($1, 'EUR', '2100-01-01Z')`,
    values,
  )
  await pool.query(
    `INSERT INTO subscription_terms (workspace_id, starts_at, plan_id, plan, created_by)
     VALUES ($1, '2026-01-01Z', 'seeded', $2, 'seed')`,
    [workspaceId, JSON.stringify(seededPlan)],
  )
  await pool.query(
    `WITH t AS (
       INSERT INTO ledger_transactions (workspace_id, id, key, currency, entries)
       VALUES ($1, gen_random_uuid(), 'credit:seed', 'EUR', 2) RETURNING workspace_id, id)
     INSERT INTO ledger_entries (workspace_id, transaction_id, position, account, currency, amount)
     SELECT t.workspace_id, t.id, e.position, e.account, 'EUR', e.amount FROM t,
       (VALUES (1, 'payments', 500), (2, 'balance', -500)) AS e (position, account, amount)`,
    values,
  )
}

/** An invitation and an invoice of the same id, and what the invoice belongs to. */
async function seedPapers(app: TestApp, workspace: SeededWorkspace): Promise<string> {
  const id = await seedInvitation(app, workspace)
  await seedInvoice(app, workspace.uuid, id)
  await seedBilling(app, workspace.uuid)
  return id
}

/** A job that has ended, and failed with the device. */
async function seedJob(
  { database: { pool } }: TestApp,
  workspaceUuid: string,
  deviceUuid: string,
): Promise<string> {
  const id = newUuid()
  await pool.query(
    `INSERT INTO jobs (workspace_id, id, action, status, actor_kind, total, failed, ended_at)
     VALUES ($1, $2, 'resume', 'completed', 'service', 1, 1, now())`,
    [workspaceUuid, id],
  )
  await pool.query(
    `INSERT INTO job_items (workspace_id, job_id, device_id, status, code, ended_at)
     VALUES ($1, $2, $3, 'failed', 'invalid_transition', now())`,
    [workspaceUuid, id, deviceUuid],
  )
  return id
}

/** A rotation campaign that is paused. */
async function seedCampaign(
  { database: { pool } }: TestApp,
  workspaceUuid: string,
): Promise<string> {
  const id = newUuid()
  await pool.query(
    `INSERT INTO rotation_campaigns (workspace_id, id, status, wave_size, pause_s,
                                     confirm_within_s, max_failure_rate, actor_kind)
     VALUES ($1, $2, 'paused', 1, 1, 60, 1, 'service')`,
    [workspaceUuid, id],
  )
  return id
}

/** The hash of a password that nobody knows. One is enough: each takes as long as a tenant. */
let passwordHash: Promise<string> | undefined

async function seedPassword({ database, services }: TestApp, userId: string): Promise<void> {
  passwordHash ??= services.passwords.hash(randomBytes(12).toString('hex'))
  await database.pool.query('UPDATE users SET password_hash = $2 WHERE id = $1', [
    userId,
    await passwordHash,
  ])
}

/** Proved in the session of its person, although nobody has its private key. */
async function seedPasskey({ database }: TestApp, userId: string): Promise<string> {
  const id = newUuid()
  await database.pool.query(
    `INSERT INTO passkeys (id, user_id, credential_id, public_key, signatures, transports, name)
     VALUES ($1, $2, $3, $3, 0, '{}', 'Seeded')`,
    [id, userId, randomBytes(32)],
  )
  const prove = 'UPDATE user_sessions SET passkey_id = $1 WHERE user_id = $2'
  await database.pool.query(prove, [id, userId])
  return id
}

/** A workspace's device is bound to the phone, which has one more claim that is open. */
export async function seedTenant(app: TestApp, workspace: SeededWorkspace): Promise<Tenant> {
  const { pool } = app.database
  const device = await seedDevice(app, workspace)
  const phone = await seedMoid(app)
  const claim = newUuid()
  const hash = (): Buffer => randomBytes(32)
  const bound = [workspace.uuid, newUuid(), phone.uuid, hash(), 'bound', device.uuid]
  await pool.query(insertClaim, bound)
  await pool.query(insertClaim, [workspace.uuid, claim, phone.uuid, hash(), 'open', null])
  await seedPassword(app, workspace.owner.uuid)
  await pool.query('UPDATE devices SET claimed_at = now() WHERE id = $1', [device.uuid])
  await pool.query(
    `INSERT INTO device_states (workspace_id, device_id, state, version, reported_at)
     VALUES ($1, $2, '{"on": true}', 1, now())`,
    [workspace.uuid, device.uuid],
  )
  const belongings = await seedBelongings(app, workspace.uuid, device.uuid)
  const mqp = await seedPrincipal(app, workspace.uuid)
  return {
    workspace,
    things: {
      ws: workspace.uuid,
      key: workspace.provisionKeyUuid,
      tpl: workspace.template.uuid,
      dev: device.uuid,
      job: await seedJob(app, workspace.uuid, device.uuid),
      cmp: await seedCampaign(app, workspace.uuid),
      clm: claim,
      pky: await seedPasskey(app, workspace.owner.uuid),
      ...(await seedForPeople(app, workspace)),
      ...belongings,
      moid: phone.uuid,
      usr: workspace.owner.uuid,
      ses: workspace.owner.sessionUuid,
      mse: phone.sessionUuid,
      inv: await seedPapers(app, workspace),
      mqp,
      ...(await seedTraces(app, workspace.uuid)),
      acl: await seedRules(app, workspace.uuid, { dev: device.uuid, mqp }),
    },
    callers: {
      user: [as.user(workspace.owner.token)],
      'platform-key': [as.platformKey(workspace.platformKey), as.bearer(workspace.platformKey)],
      'provision-key': [as.factory(workspace.provisionKey)],
      device: [as.device(device.token)],
      moid: [as.phone(phone.token)],
      operator: [as.user((await seedOperator(app.app)).token)],
    },
  }
}

/** `prefix_…` of the tenant's thing of a kind; the first of what has a number in its place. */
export function idOf({ things }: Tenant, prefix: IdPrefix | undefined): string {
  if (prefix === undefined) return '1'
  const uuid = things[prefix]
  if (uuid === undefined) throw new Error(`test/support/tenants.ts makes nothing with ${prefix}_`)
  return formatId(prefix, uuid)
}
