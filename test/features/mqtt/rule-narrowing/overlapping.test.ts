/**
 * Changes of rules that overlap: each is compared with what the other leaves behind, so that what
 * both together take is seen, and ends sessions on external brokers.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { newDevice } from '../../../support/phones-and-devices.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { importRows } from '../../../support/transfers.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

const allow = (topic: string) => ({
  action: 'publish',
  topic: `{slug}/{device_key}/${topic}`,
  permission: 'allow',
})
const WIDE = [allow('state'), allow('log')]
const NARROW = [allow('state')]

type Ask = (method: string, path: string, body?: object) => Promise<CallResult>

const askOf =
  ({ call, seed }: TestApp): Ask =>
  async (method, path, body) => {
    const key = as.platformKey(seed.platformKey)
    const response = await call(method, `/workspaces/${seed.id}${path}`, {
      as: path.startsWith('/jobs') ? as.user(seed.owner.token) : key,
      ...(body !== undefined && { body }),
    })
    assert.ok(response.status < 300, response.text)
    return response
  }

async function newTemplate(ask: Ask, mqtt_acl: readonly object[]): Promise<string> {
  const key = `m-${newUuid().slice(-12)}`
  const body = { model_key: key, name: 'Any', serial_format: `${key}-%#f`, mqtt_acl }
  return (await ask('POST', '/device-templates', body)).body.id
}

/** Transactions that wait for their turn with the rules of the workspace's templates. */
async function waiting({ database, seed }: TestApp): Promise<number> {
  const { rows } = await database.pool.query(
    `SELECT count(*)::int AS count FROM pg_locks
     WHERE locktype = 'advisory' AND NOT granted AND classid = 1920298085
       AND objid = (hashtext($1)::bigint & 4294967295)::oid`,
    [seed.uuid],
  )
  return rows[0].count
}

/** How many receipts there are about a device that lost something. */
async function receiptsOf({ database, seed }: TestApp, id: string): Promise<number> {
  const { rows } = await database.pool.query(
    `SELECT count(*)::int AS count FROM mqtt_receipts
     WHERE workspace_id = $1 AND (subject = $2 OR narrowed -> 'devices' ? $3)`,
    [seed.uuid, id, parseId('dev', id)],
  )
  return rows[0].count
}

describe('changes of rules that overlap', () => {
  const changes: Record<string, (app: TestApp, deviceId: string, to: string) => Promise<unknown>> =
    {
      'a device that gets another template': (app, id, template_id) =>
        askOf(app)('PATCH', `/devices/${id}`, { template_id }),
      'an import that gives it another one': (app, id, template_id) =>
        importRows(app, [{ device_key: `k-${parseId('dev', id)}`, template_id }]),
      'a job that gives it another one': (app, id, template_id) =>
        askOf(app)('POST', '/jobs', {
          action: 'move_template',
          parameters: { template_id },
          device_ids: [id],
        }),
      'own rules of a device': (app, id) =>
        askOf(app)('POST', `/devices/${id}/acls`, {
          action: 'publish',
          topic: '{slug}/{device_key}/log',
          permission: 'deny',
        }),
    }
  for (const [what, change] of Object.entries(changes)) {
    test(`${what}: no template changes until it is done`, async (t) => {
      const app = await freshTenants(t)
      const ask = askOf(app)
      const template = await newTemplate(ask, WIDE)
      const device = await newDevice(app)
      const holder = await app.database.pool.connect()
      // It must not go back with what it holds, should the test fail.
      t.after(() => holder.release(true))
      await holder.query('BEGIN')
      const { rows: held } = await holder.query(
        'SELECT pg_backend_pid() AS pid FROM devices WHERE id = $1 FOR UPDATE',
        [device.uuid],
      )
      // Not in the transaction, which would see the same activity for ever.
      const isHeldUp = async (): Promise<boolean> => {
        const { rows } = await app.database.pool.query(
          'SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
          [held[0].pid],
        )
        return rows.length > 0
      }
      const done = change(app, device.id, template)
      await until('the change waits for the device', isHeldUp)
      const narrowed = ask('PATCH', `/device-templates/${template}`, { mqtt_acl: NARROW })
      const removed = ask('DELETE', `/device-templates/${await newTemplate(ask, WIDE)}`)
      await until('the templates wait for the change', async () => (await waiting(app)) === 2)
      await holder.query('COMMIT')
      await Promise.all([done, narrowed, removed])
    })
  }

  test('a device that leaves a template before a broker has applied it loses its former rights', async (t) => {
    const app = await freshTenants(t)
    const ask = askOf(app)
    const { pool } = app.database
    const [left, next, same] = [
      await newTemplate(ask, WIDE),
      await newTemplate(ask, NARROW),
      await newTemplate(ask, WIDE),
    ]
    const [first, second, third] = [
      await newDevice(app),
      await newDevice(app),
      await newDevice(app),
    ]
    for (const { id } of [first, second, third]) {
      await ask('PATCH', `/devices/${id}`, { template_id: left })
    }
    const before = await receiptsOf(app, first.id)
    await ask('PATCH', `/device-templates/${left}`, { mqtt_acl: NARROW })
    await pool.query(
      `INSERT INTO mqtt_receipt_nodes (workspace_id, receipt_id, node)
       SELECT workspace_id, id, 'far' FROM mqtt_receipts WHERE subject = $1`,
      [left],
    )
    await ask('PATCH', `/devices/${first.id}`, { template_id: next })
    assert.equal(await receiptsOf(app, first.id), before + 1)
    // Here it may do all that it ever might.
    await ask('PATCH', `/devices/${third.id}`, { template_id: same })
    assert.equal(await receiptsOf(app, third.id), before)
    await pool.query(`UPDATE mqtt_receipt_nodes SET verified_at = now() WHERE node = 'far'`)
    await ask('PATCH', `/devices/${second.id}`, { template_id: next })
    assert.equal(await receiptsOf(app, second.id), before)
  })
})
