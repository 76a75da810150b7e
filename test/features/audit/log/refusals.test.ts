/** Refused uses of credentials: in the audit log, counted together, never a flood of writes. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createRefusalRecorder } from '../../../../src/features/audit/log/audit-log-refusals.ts'
import { INSTALLATION } from '../../../../src/platform/record/event.ts'
import type { Refusal } from '../../../../src/platform/http/gate-hook.ts'
import { formatId } from '../../../../src/platform/lib/ids.ts'
import { issueSecret, PLATFORM_KEY_PREFIX } from '../../../../src/platform/lib/secrets.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { openAuditBench, sql } from '../../../support/audit-chain.ts'
import { tryConnect } from '../../../support/mqtt.ts'
import { seedUser } from '../../../support/seed.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

interface Row {
  workspace_id: string
  actor_kind: string
  actor_id: string | null
  address: string | null
  request_id: string | null
  detail: { operation_id: string | null; code: string; count: number; rule?: string }
}

const refusedIn = (app: TestApp, workspaceId: string): Promise<Row[]> =>
  sql(
    app.database,
    `SELECT * FROM audit_log WHERE workspace_id = $1 AND action = 'access.refused' ORDER BY id`,
    [workspaceId],
  )

/** The recorder writes every second. */
const eventually = (app: TestApp, workspaceId: string, code: string): Promise<Row[]> =>
  until(`an entry of ${code} is written`, async () => {
    const rows = (await refusedIn(app, workspaceId)).filter(({ detail }) => detail.code === code)
    return rows.length > 0 && rows
  })

suite('refused uses of credentials', () => {
  const get = useApp()

  test('a key that is used outside of its limits is an entry of its workspace', async () => {
    const { call, seed, ...app } = get()
    const { body: key } = await call('POST', `/workspaces/${seed.id}/api-keys`, {
      as: as.platformKey(seed.platformKey),
      body: { key_kind: 'provision', allowed_cidrs: ['10.0.0.0/8'] },
    })
    const credential = as.factory(key.key)
    const response = await call('POST', '/provision/device', {
      as: credential,
      body: { template_id: seed.template.id },
    })
    assert.equal(response.status, 403)
    const rows = await eventually({ call, seed, ...app }, seed.uuid, 'key_scope_denied')
    assert.deepEqual(
      rows.map(({ actor_id, address, detail }) => [actor_id, address, detail]),
      [
        [
          key.id,
          '127.0.0.1',
          {
            operation_id: 'provisionDevice',
            code: 'key_scope_denied',
            rule: 'allowed_cidrs',
            count: 1,
          },
        ],
      ],
    )
  })

  test('rows of a stream that are outside of the limits of a key are one entry', async () => {
    const { call, seed, ...app } = get()
    const { body: key } = await call('POST', `/workspaces/${seed.id}/api-keys`, {
      as: as.platformKey(seed.platformKey),
      body: { key_kind: 'provision', actions: ['register'] },
    })
    const stream = (rows: readonly object[]) =>
      call('POST', '/provision/devices', {
        as: as.factory(key.key),
        headers: { 'content-type': 'application/x-ndjson' },
        body: rows.map((row) => JSON.stringify(row)).join('\n'),
      })
    const good = { template_id: seed.template.id }
    const elsewhere = { ...good, workspace_id: seed.other.id }
    const rotation = { device_id: formatId('dev', seed.uuid) }
    const refused = Array.from({ length: 700 }, () => elsewhere)
    const response = await stream([good, ...refused, rotation, rotation, good])
    assert.equal(response.text.match(/"status":403/g)?.length, 702)
    const rows = await until('both are written', async () => {
      const all = await refusedIn({ call, seed, ...app }, seed.uuid)
      const own = all.filter(({ actor_id }) => actor_id === key.id)
      return own.length > 1 && own
    })
    const common = { operation_id: 'provisionDevices', code: 'key_scope_denied' }
    assert.deepEqual(
      rows.map(({ detail }) => detail).sort((a, b) => a.count - b.count),
      [
        { ...common, rule: 'actions', count: 2 },
        { ...common, rule: 'workspace_id', count: 700 },
      ],
    )
    assert.deepEqual(
      rows.map(({ request_id }) => request_id),
      [response.headers['x-request-id'], response.headers['x-request-id']],
    )
  })

  test('unknown keys are entries of the installation, which name no key', async () => {
    const app = get()
    const key = issueSecret(PLATFORM_KEY_PREFIX)
    const path = `/workspaces/${app.seed.id}/api-keys`
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => app.call('GET', path, { as: as.platformKey(key) })),
    )
    assert.ok(responses.every(({ status }) => status === 401))
    const counted = (rows: readonly Row[]): number =>
      rows.reduce((sum, { detail }) => sum + detail.count, 0)
    const rows = await until('all are counted', async () => {
      const written = await refusedIn(app, INSTALLATION)
      return counted(written) >= 30 && written
    })
    assert.equal(counted(rows), 30)
    assert.ok(rows.length < 30)
    assert.deepEqual(
      [rows[0]?.actor_kind, rows[0]?.actor_id, rows[0]?.address, rows[0]?.detail.operation_id],
      ['anonymous', null, '127.0.0.1', 'listApiKeys'],
    )
    assert.equal(JSON.stringify(rows).includes(key), false)
  })

  test('a member without the permission is an entry of the workspace', async () => {
    const app = get()
    const viewer = await seedUser(app.app, { [app.seed.uuid]: 'viewer' })
    const response = await app.call('GET', `/workspaces/${app.seed.id}/audit-log`, {
      as: as.user(viewer.token),
    })
    assert.equal(response.status, 403)
    const [row] = await eventually(app, app.seed.uuid, 'permission_denied')
    assert.deepEqual(
      [row?.actor_kind, row?.actor_id, row?.request_id],
      ['user', viewer.id, response.headers['x-request-id']],
    )
  })

  test('a key that is used where it is not valid is an entry of its own workspace', async () => {
    const app = get()
    const path = `/workspaces/${app.seed.id}`
    const wrong = await app.call('GET', path, { as: as.factory(app.seed.provisionKey) })
    assert.equal(wrong.status, 403)
    const [row] = await eventually(app, app.seed.uuid, 'wrong_credential_kind')
    assert.deepEqual(
      [row?.actor_kind, row?.actor_id],
      ['provision-key', formatId('key', app.seed.provisionKeyUuid)],
    )
    const { other } = app.seed
    await app.call('GET', path, { as: as.platformKey(other.platformKey) })
    await eventually(app, other.uuid, 'workspace_not_found')
    const codes = (await refusedIn(app, app.seed.uuid)).map(({ detail }) => detail.code)
    assert.equal(codes.includes('workspace_not_found'), false)
  })

  test('a refused CONNECT is an entry of its workspace if the secret was valid', async (t) => {
    const app = get()
    const { call, seed } = app
    const { body: login } = await call('POST', '/provision/device', {
      as: as.factory(seed.provisionKey),
      body: { template_id: seed.template.id },
    })
    const wrong = await tryConnect(t, { ...login, mqtt_password: issueSecret('mqp_') })
    assert.notEqual(wrong.code, 0)
    const [guessed] = await eventually(app, INSTALLATION, 'bad_credentials')
    assert.deepEqual(
      [guessed?.actor_kind, guessed?.actor_id, guessed?.address],
      ['anonymous', null, '127.0.0.1'],
    )
    assert.deepEqual(guessed?.detail, {
      operation_id: 'mqtt.connect',
      code: 'bad_credentials',
      count: 1,
      named_device_id: login.device_id,
    })
    const path = `/workspaces/${seed.id}/devices/${login.device_id}/suspend`
    await call('POST', path, { as: as.platformKey(seed.platformKey) })
    assert.notEqual((await tryConnect(t, login)).code, 0)
    const [banned] = await eventually(app, seed.uuid, 'banned')
    assert.deepEqual([banned?.actor_kind, banned?.actor_id], ['device', login.device_id])
    assert.ok(!JSON.stringify(banned).includes(login.mqtt_password))
  })

  test('a refused CONNECT of an MQTT principal is an entry of its workspace', async (t) => {
    const app = get()
    const { call, seed } = app
    const path = `/workspaces/${seed.id}/mqtt/principals`
    const made = await call('POST', path, {
      as: as.platformKey(seed.platformKey),
      body: { name: 'Refused' },
    })
    const { username, password, port } = made.body.mqtt_credentials
    const login = { device_id: username, mqtt_password: password, mqtt_port: port }
    assert.notEqual((await tryConnect(t, login, { clientId: 'dashboard' })).code, 0)
    const [refused] = await eventually(app, seed.uuid, 'client_id_invalid')
    assert.deepEqual([refused?.actor_kind, refused?.actor_id], ['mqtt-principal', username])
    assert.notEqual((await tryConnect(t, { ...login, mqtt_password: 'guess' })).code, 0)
    await until('the guess is reported', async () => {
      const received = await refusedIn(app, INSTALLATION)
      return received.some(({ detail }) => JSON.stringify(detail).includes(username))
    })
  })
})

const refusal = (index: number): Refusal => ({
  operationId: 'listApiKeys',
  code: 'credential_rejected',
  caller: undefined,
  workspaceId: '',
  request: { id: `req_${index}`, address: `2001:db8::${index.toString(16)}` },
})

test('a flood from many addresses is bounded, and still counted', async (t) => {
  const bench = await openAuditBench(t)
  const recorder = createRefusalRecorder({ db: bench.db })
  for (let index = 0; index < 5_000; index += 1) recorder.onRefused(refusal(index))
  await recorder.flush()
  const [row] = await sql<{ rows: number; count: number }>(
    bench.db,
    `SELECT count(*) AS rows, sum((detail->>'count')::int) AS count FROM audit_log`,
  )
  assert.equal(row?.count, 5_000)
  assert.ok((row?.rows ?? 0) <= 201)
})

test('many networks share a budget, beyond which they are only counted', async (t) => {
  const bench = await openAuditBench(t)
  const recorder = createRefusalRecorder({ db: bench.db })
  for (let network = 0; network < 15; network += 1) {
    const address = `2001:db8:0:${network}::1`
    for (let index = 0; index < 100; index += 1) {
      const request = { id: `req_${index}`, address }
      recorder.onRefused({ ...refusal(index), operationId: `operation${index}`, request })
    }
    await recorder.flush()
  }
  const written = await sql(bench.db, 'SELECT FROM audit_log')
  assert.equal(written.length, 1_000)
  const [row] = await sql<{ acts: number }>(
    bench.db,
    'SELECT sum(counted)::int AS acts FROM audit_counts',
  )
  assert.equal(row?.acts, 500)
})

test('an entry that could not be written is written the next time', async (t) => {
  const bench = await openAuditBench(t)
  const recorder = createRefusalRecorder({ db: bench.db })
  recorder.onRefused(refusal(1))
  await sql(bench.db, 'ALTER TABLE audit_log RENAME TO hidden')
  await assert.rejects(recorder.flush())
  recorder.onRefused(refusal(1))
  await sql(bench.db, 'ALTER TABLE hidden RENAME TO audit_log')
  await recorder.flush()
  const rows = await sql<Row>(bench.db, 'SELECT * FROM audit_log')
  assert.deepEqual(
    rows.map(({ detail }) => detail.count),
    [2],
  )
})

test('a refusal without a known credential is not recorded', async (t) => {
  const bench = await openAuditBench(t)
  const recorder = createRefusalRecorder({ db: bench.db })
  for (const code of ['credential_missing', 'rate_limited', 'device_not_found'] as const) {
    recorder.onRefused({ ...refusal(1), code })
  }
  await recorder.flush()
  assert.deepEqual(await sql(bench.db, 'SELECT * FROM audit_log'), [])
})
