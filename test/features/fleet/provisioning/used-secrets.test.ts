/** A secret that was used was not lost: no repetition of a request gives it out again. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { tryConnect } from '../../../support/mqtt.ts'
import { until } from '../../../support/until.ts'
import { useApp } from '../../../support/suite-app.ts'

const getApp = useApp()

interface Issued {
  device_id: string
  device_key: string
  mqtt_password: string
  mqtt_port: number
  device_http_token: string
}

const once = (key: string) => ({ 'idempotency-key': `"${key}"` })

const keyWith = async ({ call, seed }: TestApp, settings: object): Promise<string> => {
  const { status, body, text } = await call('POST', `/workspaces/${seed.id}/api-keys`, {
    as: as.platformKey(seed.platformKey),
    body: { key_kind: 'provision', ...settings },
  })
  assert.equal(status, 201, text)
  return body.key as string
}

const provision = ({ call }: TestApp, key: string, body: object, headers = {}) =>
  call('POST', '/provision/device', { as: as.factory(key), body, headers })

/** While news of other secrets of the device arrive, a CONNECT may be undecided. */
const UNAVAILABLE = 3

/** The device uses its password. */
async function connect(t: TestContext, _app: TestApp, device: Issued): Promise<void> {
  const { code, client } = await until('a decision', async () => {
    const outcome = await tryConnect(t, device)
    return outcome.code === UNAVAILABLE ? undefined : outcome
  })
  assert.equal(code, 0)
  client.end(true)
}

/** It uses its token. */
async function callAs(_t: TestContext, app: TestApp, device: Issued): Promise<void> {
  const token = as.device(device.device_http_token)
  assert.equal((await app.call('GET', '/devices/auth/me', { as: token })).status, 200)
}

/** A phone claims it. */
async function claim(_t: TestContext, app: TestApp, device: Issued): Promise<void> {
  const { body: session } = await app.call('POST', '/moid/session', { body: {} })
  const { body: open } = await app.call('POST', '/moid/claims', {
    as: as.phone(session.access_token),
    body: { workspace_id: app.seed.id },
  })
  const bound = await app.call('POST', '/devices/auth/bind-claim', {
    as: as.device(device.device_http_token),
    body: { claim_code: open.claim_code },
  })
  assert.equal(bound.status, 200, bound.text)
}

/** MQTT refuses the client id; that the password was shown is all the same. */
async function connectInVain(t: TestContext, _app: TestApp, device: Issued): Promise<void> {
  const { code } = await tryConnect(t, device, { clientId: 'not-its-own' })
  assert.equal(code, 2)
}

/** Its broker keeps passwords itself, and only reports that the device connected. */
async function connectExternally(_t: TestContext, app: TestApp, device: Issued): Promise<void> {
  await app.database.pool.query(`UPDATE devices SET status = 'active' WHERE device_key = $1`, [
    device.device_key,
  ])
}

const uses = {
  'connect to a broker that keeps passwords': connectExternally,
  connect,
  'call with its token': callAs,
  claim,
  'be refused with it': connectInVain,
}

const checks = ({ text }: CallResult, issued: Issued): boolean =>
  text.includes(issued.mqtt_password) || text.includes(issued.device_http_token)

/** How a registration is made and made again. */
const renewals = {
  'a hardware id': { body: () => ({ hardware_id: newUuid() }), headers: () => ({}) },
  'an Idempotency-Key': { body: () => ({}), headers: () => once(newUuid()) },
  both: { body: () => ({ hardware_id: newUuid() }), headers: () => once(newUuid()) },
}

describe('a registration that is repeated', () => {
  for (const [use, act] of Object.entries(uses)) {
    for (const [renewal, made] of Object.entries(renewals)) {
      test(`gets new secrets with ${renewal}, after the device could ${use}`, async (t) => {
        const app = getApp()
        const body = { template_id: app.seed.template.id, ...made.body() }
        const headers = made.headers()
        const register = () => provision(app, app.seed.provisionKey, body, headers)
        const first = await register()
        assert.equal(first.status, 201, first.text)
        assert.equal(
          (await register()).text,
          first.text,
          'unused secrets return the first response',
        )
        await act(t, app, first.body)
        const again = await register()
        assert.equal(again.status, 200, again.text)
        assert.equal(again.body.device_id, first.body.device_id)
        assert.equal(checks(again, first.body), false, again.text)
        await connect(t, app, first.body)
        await connect(t, app, again.body)
      })
    }
  }

  for (const setting of ['replay_only', 'refuse']) {
    test(`is refused under ${setting} once its secrets are used, also with its Idempotency-Key`, async (t) => {
      const app = getApp()
      const key = await keyWith(app, { on_known_device: setting })
      const body = { template_id: app.seed.template.id, hardware_id: newUuid() }
      const headers = once(newUuid())
      const first = await provision(app, key, body, headers)
      assert.equal((await provision(app, key, body, headers)).text, first.text)
      await connect(t, app, first.body)
      for (const each of [headers, {}]) {
        const again = await provision(app, key, body, each)
        assert.equal(again.status, 409, again.text)
        assert.equal(again.body.code, 'device_already_registered')
      }
    })
  }

  test('gets new secrets in a stream for those devices that used theirs', async (t) => {
    const app = getApp()
    const rows = [newUuid(), newUuid()].map((hardware_id) =>
      JSON.stringify({ template_id: app.seed.template.id, hardware_id }),
    )
    const stream = async (): Promise<(Issued & { status: number })[]> => {
      const { text } = await app.call('POST', '/provision/devices', {
        as: as.factory(app.seed.provisionKey),
        headers: { 'content-type': 'application/x-ndjson' },
        body: rows.join('\n'),
      })
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    }
    const first = await stream()
    await connect(t, app, first[0] as Issued)
    const again = await stream()
    assert.deepEqual(
      again.map(({ status }) => status),
      [200, 201],
    )
    assert.notEqual(again[0]?.mqtt_password, first[0]?.mqtt_password)
    assert.notEqual(again[0]?.device_http_token, first[0]?.device_http_token)
    assert.equal(again[1]?.mqtt_password, first[1]?.mqtt_password)
  })

  test('never gets used secrets, through two processes while the device connects', async (t) => {
    const app = getApp()
    const sibling = await app.sibling()
    const body = { template_id: app.seed.template.id, hardware_id: newUuid() }
    const first = await provision(app, app.seed.provisionKey, body)
    let isUsed = false
    let lateOnes = 0
    const repeat = async (through: TestApp): Promise<void> => {
      while (lateOnes < 40) {
        const isLate = isUsed
        const again = await provision(through, app.seed.provisionKey, body)
        assert.ok(again.status === 200 || again.status === 201, again.text)
        if (!isLate) continue
        lateOnes += 1
        assert.equal(checks(again, first.body), false, 'the request follows the use of the secret')
      }
    }
    const callers = Array.from({ length: 16 }, (_, index) => repeat(index % 2 ? app : sibling))
    const inUse = Promise.all([
      connect(t, app, first.body),
      connect(t, sibling, {
        ...first.body,
        mqtt_port: sibling.app.services.mqttEndpoint().port,
      }),
    ]).then(() => {
      isUsed = true
    })
    await Promise.all([inUse, ...callers])
  })
})

test('firmware that registers again and again keeps its session, and gets in with any response', async (t) => {
  const app = getApp()
  const body = { template_id: app.seed.template.id, hardware_id: newUuid() }
  const register = () => provision(app, app.seed.provisionKey, body)
  const first = await register()
  const live = await tryConnect(t, first.body)
  assert.equal(live.code, 0)
  const responses: CallResult[] = []
  for (let times = 0; times < 5; times += 1) responses.push(await register())
  assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200])
  assert.equal(live.client.connected, true)
  const secrets = new Set(responses.map(({ body: response }) => response.mqtt_password))
  assert.equal(secrets.size, 5)
  for (const { body: response } of responses) await connect(t, app, response)
})

describe('a response that is stored for an Idempotency-Key', () => {
  const made: Record<string, (app: TestApp) => Promise<() => Promise<CallResult>>> = {
    'of a created device': async ({ call, seed }) => {
      const headers = once(newUuid())
      const body = { device_key: newUuid() }
      const staff = as.platformKey(seed.platformKey)
      return () => call('POST', `/workspaces/${seed.id}/devices`, { as: staff, headers, body })
    },
    'of a reset': async (app) => {
      const { call, seed } = app
      const staff = as.platformKey(seed.platformKey)
      const { body } = await provision(app, seed.provisionKey, { template_id: seed.template.id })
      const path = `/workspaces/${seed.id}/devices/${body.device_id}/credentials/reset`
      const headers = once(newUuid())
      return () => call('POST', path, { as: staff, headers })
    },
    'of a rotation by the factory': async (app) => {
      const { seed } = app
      const { body } = await provision(app, seed.provisionKey, { template_id: seed.template.id })
      const headers = once(newUuid())
      return () => provision(app, seed.provisionKey, { device_id: body.device_id }, headers)
    },
  }
  const issuedOf = ({ body }: CallResult): Issued => ({
    ...body,
    device_id: body.device_id ?? body.id,
    mqtt_password: body.mqtt_password ?? body.mqtt_credentials.password,
    mqtt_port: body.mqtt_port ?? body.mqtt_credentials.port,
  })
  for (const [what, prepare] of Object.entries(made)) {
    for (const [use, act] of [
      ['password', connect],
      ['token', callAs],
    ] as const) {
      test(`${what} is not repeated after its ${use} was used`, async (t) => {
        const app = getApp()
        const ask = await prepare(app)
        const first = await ask()
        assert.ok(first.status < 300, first.text)
        assert.equal((await ask()).text, first.text, 'unused secrets return the first response')
        await act(t, app, issuedOf(first))
        const again = await ask()
        assert.equal(checks(again, issuedOf(first)), false, again.text)
        if (what.includes('factory')) return assert.equal(again.status, 200, again.text)
        assert.equal(again.status, 422, again.text)
        assert.equal(again.body.code, 'idempotency_key_reused')
      })
    }
  }

  test('of a rotation by the device itself is not repeated after its password was used', async (t) => {
    const app = getApp()
    const { body: device } = await provision(app, app.seed.provisionKey, {
      template_id: app.seed.template.id,
    })
    const headers = once(newUuid())
    const rotate = () =>
      app.call('POST', '/devices/auth/credentials/rotate', {
        as: as.device(device.device_http_token),
        headers,
      })
    const first = await rotate()
    assert.equal((await rotate()).text, first.text)
    await connect(t, app, first.body)
    const again = await rotate()
    assert.equal(again.status, 422, again.text)
    assert.equal(checks(again, first.body), false)
  })

  test('of a rotation of a claimed device is repeated while its secrets are unused', async (t) => {
    const app = getApp()
    const { body: device } = await provision(app, app.seed.provisionKey, {
      template_id: app.seed.template.id,
    })
    await claim(t, app, device)
    const headers = once(newUuid())
    const responses = await Promise.all(
      Array.from({ length: 20 }, () =>
        provision(app, app.seed.provisionKey, { device_id: device.device_id }, headers),
      ),
    )
    assert.equal(new Set(responses.map(({ text }) => text)).size, 1)
  })
})
