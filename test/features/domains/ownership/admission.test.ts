/**
 * The effect of a domain: it admits its own workspace and nobody else, and devices are sent to it.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import mqtt, { type IClientOptions } from 'mqtt'
import { as, type Headers, type TestApp } from '../../../support/app.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { defer } from '../../../support/cleanup.ts'
import { seedDevice, seedMoid } from '../../../support/credentials.ts'
import { addDomain, freshName, useNamedTenants, verifiedDomain } from '../../../support/domains.ts'
import { callHttps, type NamedCall, tlsEnvironment } from '../../../support/https.ts'
import type { SeededWorkspace } from '../../../support/seed.ts'
import { until } from '../../../support/until.ts'

const { environment, ca } = tlsEnvironment()
const { tenants, nameServer } = useNamedTenants({
  ...environment,
  MOORING_MQTT_TLS_PORT: '0',
  MOORING_MQTT_WS_PORT: '0',
  MOORING_MQTT_WSS_PORT: '0',
})

interface TlsApp extends TestApp {
  call: (method: string, path: string, options?: NamedCall) => ReturnType<TestApp['call']>
}

async function start(t: TestContext): Promise<TlsApp> {
  const app = await tenants(t)
  return { ...app, call: (method, path, options) => callHttps(app.url + path, ca, method, options) }
}

const key = ({ platformKey }: SeededWorkspace) => as.platformKey(platformKey)

/** The members that are the same for every refusal of one request. */
const sameOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
  const { trace_id: _trace, instance: _path, ...rest } = body
  return { status, ...rest }
}

test('a domain accepts only credentials of its workspace', async (t) => {
  const app = await start(t)
  const { seed, call } = app
  const { other } = seed
  const { name } = await verifiedDomain(app, nameServer(), other, 'api')
  const get = (path: string, credential: Headers, at: NamedCall) =>
    call('GET', path, { as: credential, ...at })
  const unknown = `${other.platformKey.slice(0, 11)}${'0'.repeat(49)}`
  for (const at of [
    { host: name },
    { host: `${name.toUpperCase()}.:8443` },
    { serverName: name },
    { host: name, serverName: name },
  ]) {
    const own = await get(`/workspaces/${other.id}`, key(other), at)
    assert.equal(own.status, 200, own.text)
    const refused = await get(`/workspaces/${seed.id}`, key(seed), at)
    const outsider = await get(`/workspaces/${seed.id}`, as.platformKey(unknown), at)
    assert.equal(refused.status, 401)
    assert.deepEqual(sameOf(refused), sameOf(outsider))
    assert.deepEqual(Object.keys(refused.headers).sort(), Object.keys(outsider.headers).sort())
    const factory = await call('POST', '/provision/device', {
      as: as.factory(seed.provisionKey),
      body: { template_id: seed.template.id },
      ...at,
    })
    assert.equal(factory.body.code, 'credential_rejected')
    const device = await seedDevice(app, seed)
    const asked = await get('/devices/auth/me', as.device(device.token), at)
    assert.equal(asked.body.code, 'credential_rejected')
    const user = await get('/auth/me', as.user(seed.owner.token), at)
    assert.equal(user.body.code, 'credential_rejected')
  }
  const elsewhere = await get(`/workspaces/${seed.id}`, key(seed), { host: freshName() })
  assert.equal(elsewhere.status, 200, 'an unregistered name changes nothing')
  const pending = await addDomain(app, other, freshName(), 'api')
  const unproven = await get(`/workspaces/${seed.id}`, key(seed), { host: pending.body.name })
  assert.equal(unproven.status, 200, 'a name that is not verified changes nothing')
})

test('somebody of several workspaces sees one of them by its domain', async (t) => {
  const app = await start(t)
  const { seed, call, database } = app
  const { name } = await verifiedDomain(app, nameServer(), seed, 'api')
  const made = await call('POST', '/workspaces', {
    as: as.user(seed.owner.token),
    body: { name: 'Second', slug: `w${freshName().slice(1, 30)}` },
  })
  assert.equal(made.status, 201, made.text)
  const { rows } = await database.pool.query(
    'SELECT count(*)::int AS n FROM memberships WHERE user_id = $1',
    [seed.owner.uuid],
  )
  assert.equal(rows[0]?.n, 2)
  const by = (host: string) => ({ as: as.user(seed.owner.token), host })
  const listed = await call('GET', '/workspaces', by(name))
  assert.deepEqual(
    listed.body.items.map(({ id }: { id: string }) => id),
    [seed.id],
  )
  const hidden = await call('GET', `/workspaces/${made.body.id}`, by(name))
  assert.deepEqual([hidden.status, hidden.body.code], [404, 'workspace_not_found'])
})

test('mobile identities that begin at a domain belong to its workspace', async (t) => {
  const app = await start(t)
  const { seed, call } = app
  const { name: host } = await verifiedDomain(app, nameServer(), seed, 'api')
  const begun = await call('POST', '/moid/session', { host, body: {} })
  assert.deepEqual([begun.status, begun.body.workspace_id], [201, seed.id], begun.text)
  const other = await call('POST', '/moid/session', {
    host,
    body: { workspace_id: seed.other.id },
  })
  assert.deepEqual([other.status, other.body.code], [404, 'workspace_not_found'])
  const own = await call('GET', '/moid/devices', { host, as: as.phone(begun.body.access_token) })
  assert.equal(own.status, 200, own.text)
  const nobodys = await seedMoid(app)
  const refused = await call('GET', '/moid/devices', { host, as: as.phone(nobodys.token) })
  assert.equal(refused.body.code, 'credential_rejected')
  const global = await call('POST', '/moid/session', { body: {} })
  const body = { refresh_token: global.body.refresh_token }
  assert.equal((await call('POST', '/moid/refresh', { host, body })).status, 401)
  assert.equal((await call('POST', '/moid/refresh', { body })).status, 200)
})

test('a domain for MQTT is not one for the API', async (t) => {
  const app = await start(t)
  const { name: host } = await verifiedDomain(app, nameServer(), app.seed)
  const refused = await app.call('GET', `/workspaces/${app.seed.id}`, { host, as: key(app.seed) })
  assert.deepEqual([refused.status, refused.body.code], [421, 'misdirected_request'])
  const session = await app.call('POST', '/moid/session', { host, body: {} })
  assert.deepEqual([session.status, session.body.code], [421, 'misdirected_request'])
})

interface Login {
  device_id: string
  mqtt_password: string
}

async function register(app: TlsApp, workspace: SeededWorkspace) {
  const { status, body, text } = await app.call('POST', '/provision/device', {
    as: as.factory(workspace.provisionKey),
    body: { template_id: workspace.template.id },
  })
  assert.equal(status, 201, text)
  return body as Login & { mqtt_host: string }
}

/** 0, or the return code of the CONNACK. */
async function connect(t: TestContext, login: Login, options: IClientOptions) {
  const client = mqtt.connect({
    host: '127.0.0.1',
    ca,
    checkServerIdentity: () => undefined,
    username: login.device_id,
    password: login.mqtt_password,
    clientId: login.device_id,
    protocolVersion: 4,
    reconnectPeriod: 0,
    ...options,
  } as IClientOptions)
  defer(t, () => client.end(true))
  return new Promise<{ code: number; client: mqtt.MqttClient }>((resolve) => {
    client.once('connect', () => resolve({ code: 0, client }))
    client.once('error', (error: Error & { code?: unknown }) =>
      resolve({ code: typeof error.code === 'number' ? error.code : -1, client }),
    )
  })
}

test('MQTT by the domain of another workspace is refused like a wrong password', async (t) => {
  const app = await start(t)
  const { seed } = app
  const { broker } = app.services
  const { tls, ws, wss } = (broker as typeof broker & { ports: Record<string, number> }).ports
  const mine = await verifiedDomain(app, nameServer(), seed)
  const api = await verifiedDomain(app, nameServer(), seed, 'api')
  const theirs = await register(app, seed.other)
  const own = await register(app, seed)
  const named = (servername: string) => ({ servername, rejectUnauthorized: false }) as object
  const transports = (host: string): IClientOptions[] => [
    { protocol: 'mqtts', port: tls, ...named(host) },
    { protocol: 'ws', port: ws, path: '/mqtt', wsOptions: { headers: { host } } },
    { protocol: 'wss', port: wss, path: '/mqtt', wsOptions: named(host) },
  ]
  for (const transport of transports(mine.name)) {
    const { code, client } = await connect(t, own, transport)
    assert.equal(code, 0, transport.protocol)
    await client.endAsync()
    assert.equal((await connect(t, theirs, transport)).code, 4, transport.protocol)
  }
  for (const transport of transports(api.name))
    assert.equal((await connect(t, own, transport)).code, 4)
  for (const transport of transports(freshName()))
    assert.equal((await connect(t, theirs, transport)).code, 0)
  assert.equal((await connect(t, theirs, { protocol: 'mqtts', port: tls })).code, 0)
  await until('the log contains it', async () => {
    const { body } = await app.call(
      'GET',
      `/workspaces/${seed.other.id}/devices/${theirs.device_id}/connection-log`,
      { as: key(seed.other) },
    )
    return body.items.some(({ reason }: { reason: string }) => reason === 'other_domain')
  })
})

test('devices are sent to the domain of their workspace while it has one', async (t) => {
  const app = await start(t)
  const { seed, call, database, services } = app
  const usual = (await register(app, seed)).mqtt_host
  const endpoints = async (): Promise<string[]> => {
    const { body } = await call('GET', `/workspaces/${seed.id}/mqtt/endpoints`, { as: key(seed) })
    return body.items[0].endpoints.map(({ host }: { host: string }) => host)
  }
  const first = await verifiedDomain(app, nameServer(), seed)
  const second = await verifiedDomain(app, nameServer(), seed)
  await verifiedDomain(app, nameServer(), seed, 'api')
  // TLS ends here, so a name is of no use to devices before it has a certificate.
  assert.equal((await register(app, seed)).mqtt_host, usual)
  const authority = makeAuthority()
  const certify = async ({ name, path }: { name: string; path: string }): Promise<void> => {
    const { cert, key: keyPem } = authority.issue(name)
    const { status, text } = await call('PUT', `${path}/certificate`, {
      as: key(seed),
      body: { certificate_pem: cert + authority.cert, private_key_pem: keyPem },
    })
    assert.equal(status, 200, text)
  }
  await certify(second)
  assert.equal((await register(app, seed)).mqtt_host, second.name)
  await certify(first)
  assert.equal((await register(app, seed)).mqtt_host, first.name)
  assert.equal((await register(app, seed.other)).mqtt_host, usual)
  const device = await call('POST', `/workspaces/${seed.id}/devices`, {
    as: key(seed),
    body: { device_key: 'one' },
  })
  assert.equal(device.body.mqtt_credentials.host, first.name)
  const shown = await endpoints()
  assert.deepEqual([shown[0], shown.at(-1)], [first.name, usual])
  // From memory: no registration asks the database for it.
  const reads: string[] = []
  const query = database.points.query.bind(database.points)
  database.points.query = (statement, values) => {
    if (statement.name?.startsWith('domains.')) reads.push(statement.name)
    return query(statement, values)
  }
  t.after(() => {
    database.points.query = query
  })
  await until('a registration asks the database for nothing', async () => {
    reads.length = 0
    await register(app, seed)
    return reads.length === 0
  })
  await call('DELETE', first.path, { as: key(seed) })
  assert.equal((await register(app, seed)).mqtt_host, second.name)
  await database.pool.query(
    `UPDATE domains SET failing_since = now() - interval '8 days' WHERE name = $1`,
    [second.name],
  )
  nameServer().zones.delete(`_service-verification.${second.name}`)
  const lapse = await call('POST', `${second.path}/verify`, { as: key(seed) })
  assert.equal(lapse.body.code, 'domain_not_verified')
  assert.equal((await call('GET', second.path, { as: key(seed) })).body.status, 'lapsed')
  assert.equal((await register(app, seed)).mqtt_host, usual)
  // It is nobody else's by that.
  assert.ok(await services.domains.find(second.name))
})

test('a session ends when the host that it came by becomes the domain of another', async (t) => {
  const app = await start(t)
  const { seed } = app
  const { broker } = app.services
  const { tls: port } = (broker as typeof broker & { ports: Record<string, number> }).ports
  const host = freshName()
  const by = (servername: string) =>
    ({ protocol: 'mqtts', port, servername, rejectUnauthorized: false }) as IClientOptions
  const theirs = await connect(t, await register(app, seed.other), by(host))
  const own = await connect(t, await register(app, seed), by(host))
  const elsewhere = await connect(t, await register(app, seed.other), by(freshName()))
  assert.deepEqual([theirs.code, own.code, elsewhere.code], [0, 0, 0])
  await verifiedDomain(app, nameServer(), seed, 'mqtt', host)
  await until('the session has ended', async () => !theirs.client.connected)
  assert.deepEqual([own.client.connected, elsewhere.client.connected], [true, true])
})

test('every process learns of a domain that another one has verified', async (t) => {
  const app = await start(t)
  const { seed } = app
  const sibling = await app.sibling()
  const host = freshName()
  const get = (path: string, workspace: SeededWorkspace) =>
    callHttps(sibling.url + path, ca, 'GET', { as: key(workspace), host })
  assert.equal((await get(`/workspaces/${seed.other.id}`, seed.other)).status, 200)
  await verifiedDomain(app, nameServer(), seed, 'api', host)
  await until('the other process refuses', async () => {
    return (await get(`/workspaces/${seed.other.id}`, seed.other)).status === 401
  })
  assert.equal((await get(`/workspaces/${seed.id}`, seed)).status, 200)
})
