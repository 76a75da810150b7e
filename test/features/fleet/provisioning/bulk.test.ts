/** The stream of registrations draws up rows ahead of what is written: neither side may notice. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, test } from 'node:test'
import {
  type BulkRow,
  provisionDevices,
} from '../../../../src/features/fleet/provisioning/provisioning-bulk.ts'
import type { ProvisionContext } from '../../../../src/features/fleet/provisioning/key-limits.ts'
import type { Db } from '../../../../src/platform/database/connect.ts'
import { Failure } from '../../../../src/platform/errors/errors.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { until } from '../../../support/until.ts'

const BOUND_MS = 120_000

/** A call of the factory, as the gate would let it in. */
async function contextOf(
  { app, services, seed }: TestApp,
  key = seed.provisionKey,
): Promise<ProvisionContext> {
  const presented = { carrier: 'service-auth-code', value: key } as const
  const caller = await app.authenticate(presented, '127.0.0.1')
  assert.ok(caller?.kind === 'provision-key')
  const info = {
    id: 'req_test',
    traceId: '',
    address: '127.0.0.1',
    userAgent: '',
    credential: key,
    hostWorkspaceId: undefined,
    ifMatch: undefined,
    idempotencyKey: undefined,
    cookies: undefined,
    links: new Map(),
    showLimit: () => {},
    onClose: () => {},
  }
  return { ...services, caller, request: info, workspaceId: '' }
}

describe('a stream of registrations', () => {
  test('answers a row before the next one is sent', { timeout: BOUND_MS }, async (t) => {
    const { url, seed } = await startApp(t)
    const sending = request(`${url}/provision/devices`, {
      method: 'POST',
      headers: { ...as.factory(seed.provisionKey), 'content-type': 'application/x-ndjson' },
    })
    sending.write(`{"template_id":"${seed.template.id}"}\n`)
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    const lines = response.setEncoding('utf8')
    for (let line = 1; line <= 3; line += 1) {
      const [text] = (await once(lines, 'data')) as [string]
      const { line: responded, status } = JSON.parse(text) as { line: number; status: number }
      assert.deepEqual([responded, status], [line, 201])
      if (line < 3) sending.write(`{"template_id":"${seed.template.id}"}\n`)
    }
    sending.end()
    await once(lines.resume(), 'end')
  })

  test('uses no serial number for rows whose client has disconnected', async (t) => {
    const app = await startApp(t)
    const context = await contextOf(app)
    const value = { template_id: app.seed.template.id }
    const taken: number[] = []
    const returned: number[] = []
    const real = app.services.serials
    const serials: ProvisionContext['serials'] = {
      ...real,
      async take(...where) {
        const number = await real.take(...where)
        taken.push(number)
        return number
      },
      giveBack(...what) {
        real.giveBack(...what)
        returned.push(what[2])
      },
    }
    async function* rows(): AsyncGenerator<BulkRow[]> {
      yield [{ line: 1, value }]
      yield [{ line: 2, value }]
      yield [{ line: 3, value }]
    }
    // Two rows are being written, while the third one is drawn up.
    const drawn = until('the third row is prepared', () => taken.length === 3)
    const slow: Db = {
      ...context.db,
      async query(statement, values) {
        if (statement.name === 'provisioning.register_many') await drawn
        return context.db.query<never>(statement, values)
      },
    }
    const results = provisionDevices({ ...context, db: slow, serials }, rows())
    const first = await results.next()
    assert.equal(first.value?.[0]?.device_key, 'S-1')
    await results.return(undefined)
    await until('the lease is released', () => returned.includes(3))
    assert.deepEqual(returned, [3])
    assert.equal(await real.take(app.seed.uuid, app.seed.template.uuid), 3)
  })

  test('is written together, also where a quota counts', async (t) => {
    const app = await startApp(t)
    const { seed, database } = app
    const made = await app.call('POST', `/workspaces/${seed.id}/api-keys`, {
      as: as.platformKey(seed.platformKey),
      body: { key_kind: 'provision', device_quota: 3 },
    })
    const run: string[] = []
    const watched: Db = {
      ...database,
      query(statement, values) {
        run.push(String(statement.name))
        return database.query<never>(statement, values)
      },
    }
    const value = { template_id: seed.template.id }
    const rows = only([1, 2, 3, 4].map((line) => ({ line, value })))
    const context = { ...(await contextOf(app, made.body.key)), db: watched }
    const results = []
    for await (const some of provisionDevices(context, rows)) results.push(...some)
    assert.deepEqual(
      results.map(({ status, rule }) => [status, rule]),
      [...Array.from({ length: 3 }, () => [201, undefined]), [409, 'device_quota']],
    )
    const writes = run.filter((name) => name.startsWith('provisioning.register'))
    assert.deepEqual(writes, ['provisioning.register_many.quota', 'provisioning.register.quota'])
  })

  test('a row whose commit got no response is not registered a second time', async (t) => {
    const app = await startApp(t)
    const { seed, database } = app
    const context = await contextOf(app)
    const lost: Db = {
      ...database,
      async query(statement, values) {
        const rows = await database.query<never>(statement, values)
        // The connection is lost after the statement was committed, before its response.
        if (statement.name === 'provisioning.register_many') throw new Failure('unavailable')
        return rows
      },
    }
    const rows: BulkRow[] = [
      { line: 1, value: { template_id: seed.template.id } },
      { line: 2, value: { template_id: seed.template.id, hardware_id: 'known' } },
    ]
    const results = []
    for await (const some of provisionDevices({ ...context, db: lost }, only(rows))) {
      results.push(...some)
    }
    assert.deepEqual(
      results.map(({ status }) => status),
      [503, 201],
    )
    const counted = await database.pool.query('SELECT count(*) AS n FROM devices')
    assert.equal(counted.rows[0].n, 2)
  })
})

async function* only(rows: BulkRow[]): AsyncGenerator<BulkRow[]> {
  yield rows
}
