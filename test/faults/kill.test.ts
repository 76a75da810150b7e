/**
 * kill -9 under provisioning load, again and again: acknowledged devices are there, and their
 * secrets work. MOORING_TEST_KILLS says how often; CI asks for more than a quick run does.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { as } from '../support/app.ts'
import { tryConnect } from '../support/mqtt.ts'
import { preparedDataDir, type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const KILLS = Number(process.env.MOORING_TEST_KILLS ?? 3)
const CLIENTS = 4

interface Acknowledged {
  hardwareId: string
  device_id: string
  device_key: string
  mqtt_password: string
  mqtt_port: number
}

const owner = {
  MOORING_BOOTSTRAP_EMAIL: 'owner@example.com',
  MOORING_BOOTSTRAP_PASSWORD: 'correct horse battery staple',
  MOORING_BOOTSTRAP_WORKSPACE: 'kills',
}

async function prepare({ call }: Service): Promise<{ key: string; templateId: string }> {
  const login = await call('POST', '/auth/login', {
    body: { email: owner.MOORING_BOOTSTRAP_EMAIL, password: owner.MOORING_BOOTSTRAP_PASSWORD },
  })
  const user = as.user(login.body.access_token)
  const { body: workspaces } = await call('GET', '/workspaces', { as: user })
  const base = `/workspaces/${workspaces.items[0].id}`
  const template = await call('POST', `${base}/device-templates`, {
    as: user,
    body: { model_key: 'sensor', name: 'Sensor', serial_format: 'S-%#f' },
  })
  const key = await call('POST', `${base}/api-keys`, {
    as: user,
    body: { key_kind: 'provision' },
  })
  assert.equal(key.status, 201, key.text)
  return { key: key.body.key, templateId: template.body.id }
}

/** Registers devices until the service is gone; only what was answered counts. */
async function registerUntilKilled(
  { call }: Service,
  { key, templateId }: { key: string; templateId: string },
  acknowledged: Acknowledged[],
): Promise<string> {
  let hardwareId = ''
  try {
    for (;;) {
      hardwareId = randomBytes(8).toString('hex')
      const body = { template_id: templateId, hardware_id: hardwareId }
      const response = await call('POST', '/provision/device', { as: as.factory(key), body })
      if (response.status !== 201) return hardwareId
      acknowledged.push({ ...response.body, hardwareId })
    }
  } catch {
    return hardwareId
  }
}

const sample = <T>(items: readonly T[], count: number): T[] =>
  [...items].sort(() => Math.random() - 0.5).slice(0, count)

test(`a service that is killed ${KILLS} times while registering loses and doubles no device`, {
  timeout: 300_000 + KILLS * 30_000,
}, async (t) => {
  const dataDir = await preparedDataDir(t)
  const acknowledged: Acknowledged[] = []
  const unanswered: string[] = []
  let service = await startService(t, dataDir, { environment: owner })
  const factory = await prepare(service)
  for (let kill = 0; kill < KILLS; kill += 1) {
    const clients = Array.from({ length: CLIENTS }, () =>
      registerUntilKilled(service, factory, acknowledged),
    )
    const before = acknowledged.length
    await until('there is a load', () => acknowledged.length > before + 1)
    await sleep(Math.random() * 400)
    await service.stop('SIGKILL')
    unanswered.push(...(await Promise.all(clients)))
    service = await startService(t, dataDir)
    for (const device of sample(acknowledged, 5)) {
      const login = { ...device, mqtt_port: service.mqtt.port }
      assert.equal((await tryConnect(t, login)).code, 0, `device ${device.device_key} connects`)
    }
  }
  // The first response of every registration is still there, and nothing is registered twice.
  const rows = [...acknowledged.map((device) => device.hardwareId), ...unanswered].map((id) =>
    JSON.stringify({ template_id: factory.templateId, hardware_id: id }),
  )
  const again = await service.call('POST', '/provision/devices', {
    as: as.factory(factory.key),
    headers: { 'content-type': 'application/x-ndjson' },
    body: `${rows.join('\n')}\n`,
  })
  const results = again.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Acknowledged & { status: number })
  const lost = acknowledged.filter(
    (device, index) => results[index]?.device_id !== device.device_id,
  )
  assert.deepEqual(lost, [], 'every acknowledged device is found')
  const keys = results.map(({ device_key }) => device_key)
  assert.equal(new Set(keys).size, keys.length, 'no serial number was given twice')
  assert.equal((await service.stop()).code, 0)
})
