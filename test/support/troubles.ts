/** Webhooks, campaigns, domains and certificates in each state that needs attention. */
import { formatId, newUuid } from '../../src/platform/lib/ids.ts'
import type { TestApp } from './app.ts'

type Pool = TestApp['database']['pool']

async function addWebhook(pool: Pool, ws: string, name: string, state: string): Promise<string> {
  const id = newUuid()
  await pool.query(
    `INSERT INTO webhooks (workspace_id, id, url, description, secret, status, disabled_reason,
       created_by)
     SELECT $1, $2, 'https://127.0.0.1/', $3, 'x', CASE $4 WHEN 'failing' THEN 'enabled'
       ELSE 'disabled' END, NULLIF($4, 'failing'), 'seed'`,
    [ws, id, name, state],
  )
  await pool.query(
    `INSERT INTO webhook_cursors (workspace_id, webhook_id, seq, event_id, failures, failing_since,
       probe_at)
     SELECT $1, $2, 0, $2, 9, now(), now() + interval '1 day' WHERE $3 = 'failing'`,
    [ws, id, state],
  )
  return formatId('whk', id)
}

interface DomainState {
  status: 'pending' | 'verified' | 'lapsed'
  isFailing?: boolean
  /** Days until its uploaded certificate expires. */
  days?: number
  /** Whether its last order was a renewal. */
  isRenewal?: boolean
}

/** Its name is like no other: a verified one is unique. */
async function addDomain(pool: Pool, ws: string, label: string, state: DomainState) {
  const { status, isFailing = false, days, isRenewal } = state
  const id = newUuid()
  await pool.query(
    `INSERT INTO domains (workspace_id, id, name, purpose, value, status, failing_since, last_error,
       created_by)
     SELECT $1, $2::uuid, $3::text || '-' || right($2::uuid::text, 8) || '.example.com', 'mqtt', 'x', $4, CASE WHEN $5 AND $4 = 'verified' THEN now() END,
       CASE WHEN $5 THEN '{"code": "record_missing", "message": "x"}'::jsonb END, 'seed'`,
    [ws, id, label, status, isFailing],
  )
  await pool.query(
    `INSERT INTO domain_certificates (workspace_id, domain_id, id, source, chain, sealed_key, names,
       issuer, serial_number, fingerprint, key_type, not_before, not_after)
     SELECT $1, $2, $2, 'upload', 'x', 'x', '{}', 'x', 'x', 'x', 'P-256', now(),
       now() + make_interval(days => $3) WHERE $3::int IS NOT NULL`,
    [ws, id, days ?? null],
  )
  await pool.query(
    `INSERT INTO acme_orders (workspace_id, id, domain_id, name, challenge, is_renewal, status,
       next_at, created_by, expires_at, ended_at)
     SELECT $1, $2, $2, 'x', 'dns-01', $3, 'failed', NULL, 'seed', now(), now() + interval '1 s'
     WHERE $3::boolean IS NOT NULL`,
    [ws, id, isRenewal ?? null],
  )
  return formatId('dom', id)
}

async function addCampaign(pool: Pool, ws: string, status: string): Promise<string> {
  const id = newUuid()
  await pool.query(
    `INSERT INTO rotation_campaigns (workspace_id, id, filter, status, wave_size, pause_s,
       confirm_within_s, max_failure_rate, total, failed, actor_kind, ended_at)
     SELECT $1, $2, 'tags : "line 2"', $3, 10, 60, 60, 0.1, 2, 2, 'service',
       CASE $3 WHEN 'halted' THEN NULL ELSE now() END`,
    [ws, id, status],
  )
  return formatId('cmp', id)
}

interface Replaced {
  times: number
  /** Seconds since the last. */
  ago: number
}

/** A device or a login with sessions of one client id that replaced each other every second. */
async function addReplaced(pool: Pool, ws: string, holder: 'device' | 'login', of: Replaced) {
  const id = newUuid()
  const isDevice = holder === 'device'
  await pool.query(
    isDevice
      ? `INSERT INTO devices (workspace_id, id, device_key, name) VALUES ($1, $2, $3, $3)`
      : `INSERT INTO mqtt_principals (workspace_id, id, name, created_by) VALUES ($1, $2, $3, 'seed')`,
    [ws, id, `double-${id}`],
  )
  await pool.query(
    `INSERT INTO ${isDevice ? 'connection_attempts' : 'mqtt_principal_attempts'} (workspace_id,
       ${isDevice ? 'device_id' : 'principal_id'}, id, attempts, client_id, address,
       protocol_version, at, last_at, ended_at, end_reason, replaced_at)
     SELECT $1, $2, gen_random_uuid(), 1, 'double', '192.0.2.1', 5, e.at, e.at, e.at, 'taken_over', e.at
     FROM (SELECT now() - make_interval(secs => $3 + n) AS at FROM generate_series(1, $4) AS n) AS e`,
    [ws, id, of.ago, of.times],
  )
  return formatId(isDevice ? 'dev' : 'mqp', id)
}

/** One of each kind, and of each kind that looks similar and is well. @returns ids by kind */
export async function seedTroubles({ database: { pool } }: TestApp, ws: string) {
  await addWebhook(pool, ws, 'stopped', 'asked')
  await addDomain(pool, ws, 'new', { status: 'pending' })
  await addDomain(pool, ws, 'well', { status: 'verified', days: 40 })
  await addCampaign(pool, ws, 'cancelled')
  await addReplaced(pool, ws, 'device', { times: 4, ago: 0 })
  await addReplaced(pool, ws, 'device', { times: 9, ago: 90 })
  return {
    certificate_expired: await addDomain(pool, ws, 'expired', {
      status: 'verified',
      days: -1,
    }),
    domain_lapsed: await addDomain(pool, ws, 'lapsed', { status: 'lapsed' }),
    webhook_disabled: await addWebhook(pool, ws, 'billing', 'receiver_gone'),
    rotation_halted: await addCampaign(pool, ws, 'halted'),
    device_client_id_conflict: await addReplaced(pool, ws, 'device', { times: 5, ago: 0 }),
    login_client_id_conflict: await addReplaced(pool, ws, 'login', { times: 5, ago: 0 }),
    domain_failing: await addDomain(pool, ws, 'failing', {
      status: 'verified',
      isFailing: true,
    }),
    renewal_failed: await addDomain(pool, ws, 'renewal', {
      status: 'verified',
      days: 60,
      isRenewal: true,
    }),
    certificate_expiring: await addDomain(pool, ws, 'expiring', {
      status: 'verified',
      days: 20,
    }),
    issuance_failed: await addDomain(pool, ws, 'issuance', {
      status: 'verified',
      isRenewal: false,
    }),
    webhook_failing: await addWebhook(pool, ws, 'plant', 'failing'),
    domain_unverified: await addDomain(pool, ws, 'wrong', {
      status: 'pending',
      isFailing: true,
    }),
  }
}
