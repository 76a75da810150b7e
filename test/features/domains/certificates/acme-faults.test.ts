/** Orders of certificates under an authority that refuses every second nonce, and under kill -9. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'node:test'
import pg from 'pg'
import { findEmbeddedPostgres } from '../../../../src/platform/database/embedded.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, startApp } from '../../../support/app.ts'
import { addDomain } from '../../../support/domain-tls.ts'
import { startNameServer } from '../../../support/name-server.ts'
import { startPebble, withoutPebble } from '../../../support/pebble.ts'
import { preparedDataDir, printedOwner, signIn, startService } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const CERTIFICATES = Number(process.env.MOORING_TEST_CERTIFICATES ?? 20)
const KILLS = 4

describe('orders by ACME', { skip: withoutPebble, timeout: 600_000 }, () => {
  test(`${CERTIFICATES} certificates are issued once each though every second nonce is invalid`, async (t) => {
    const names = await startNameServer(t)
    const pebble = await startPebble(t, { nameServer: names.address, badNonces: 50 })
    const app = await startApp(t, { environment: pebble.environment })
    await app.sibling({ MOORING_ACME_HTTP_PORT: '' })
    const caller = as.platformKey(app.seed.platformKey)
    for (let number = 0; number < CERTIFICATES; number += 1) {
      const domain = await addDomain(app, `n${number}.example.com`)
      names.zones.set(domain.name, { a: ['127.0.0.1'] })
      const body = { challenge: 'http-01' }
      assert.equal(
        (await app.call('POST', `${domain.path}/acme`, { as: caller, body })).status,
        202,
      )
    }
    const read = async <T>(text: string): Promise<T[]> =>
      (await app.database.pool.query(text)).rows as T[]
    await until(
      'all orders have ended',
      async () => (await read('SELECT FROM acme_orders WHERE ended_at IS NULL')).length === 0,
      300_000,
    )
    const failed = await read("SELECT problem FROM acme_orders WHERE status <> 'issued'")
    assert.deepEqual(failed, [])
    const issued = await read<{ fingerprint: string }>(
      'SELECT fingerprint FROM domain_certificates',
    )
    assert.equal(new Set(issued.map(({ fingerprint }) => fingerprint)).size, CERTIFICATES)
    const received = await read("SELECT FROM events WHERE type = 'certificate.issued'")
    assert.equal(received.length, CERTIFICATES)
    assert.equal((await read('SELECT FROM acme_accounts')).length, 1)
  })

  test(`orders continue after the service was killed ${KILLS} times`, async (t) => {
    const names = await startNameServer(t)
    const pebble = await startPebble(t, { nameServer: names.address, badNonces: 5, slow: true })
    const dataDir = await preparedDataDir(t)
    let service = await startService(t, dataDir, pebble)
    const owner = await signIn(service, printedOwner(service))
    const workspaces = await service.call('GET', '/workspaces', { headers: owner })
    const workspace = workspaces.body.items[0].id as string
    const withDatabase = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
      const client = new pg.Client(await findEmbeddedPostgres(dataDir))
      await client.connect()
      const result = await work(client)
      await client.end()
      return result
    }
    const domains = Array.from({ length: 6 }, (_, n) => ({
      id: newUuid(),
      name: `k${n}.example.com`,
    }))
    await withDatabase(async (client) => {
      for (const { id, name } of domains) {
        names.zones.set(name, { a: ['127.0.0.1'] })
        await client.query(
          `INSERT INTO domains (workspace_id, id, name, purpose, value, status, created_by)
           SELECT id, $1, $2, 'api', 'x', 'verified', 'test' FROM workspaces`,
          [id, name],
        )
      }
    })
    const pathOf = ({ id }: { id: string }): string =>
      `/workspaces/${workspace}/domains/${formatId('dom', id)}/certificate`
    for (const domain of domains) {
      const body = { challenge: 'http-01' }
      const response = await service.call('POST', `${pathOf(domain)}/acme`, {
        headers: owner,
        body,
      })
      assert.equal(response.status, 202, response.text)
    }
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(300 + Math.random() * 1_500)
      await service.stop('SIGKILL')
      service = await startService(t, dataDir, pebble)
    }
    const rows = await until(
      'all orders have ended',
      () =>
        withDatabase(async (client) => {
          const text = 'SELECT status, problem, ended_at FROM acme_orders'
          const { rows } = await client.query<{ status: string; ended_at: Date | null }>(text)
          return rows.every(({ ended_at }) => ended_at !== null) && rows
        }),
      200_000,
    )
    assert.deepEqual(
      rows.map(({ status }) => status),
      domains.map(() => 'issued'),
    )
    const events = await withDatabase((client) =>
      client.query("SELECT FROM events WHERE type = 'certificate.issued'"),
    )
    assert.equal(events.rows.length, domains.length)
    for (const domain of domains) {
      const response = await service.call('GET', pathOf(domain), { headers: owner })
      assert.deepEqual(response.body.names, [domain.name])
    }
  })
})
