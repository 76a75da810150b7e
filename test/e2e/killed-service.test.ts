/** kill -9 under load: acknowledged writes are there, and the service starts again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as } from '../support/app.ts'
import { tryConnect } from '../support/mqtt.ts'
import { preparedDataDir, runMooring, type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

interface Device {
  device_id: string
  mqtt_password: string
}

const ROUNDS = 2
const WORKERS = 4

/** Provisions devices until the service is gone. Every one in `made` was acknowledged. */
async function provision(service: Service, key: string, made: Device[]): Promise<void> {
  const credential = as.factory(key)
  const list = await service.call('GET', '/provision/device-templates', { as: credential })
  const body = { template_id: list.body.items[0].id }
  for (;;) {
    const response = await service
      .call('POST', '/provision/device', { as: credential, body })
      .catch(() => undefined)
    if (response === undefined) return
    assert.equal(response.status, 201, response.text)
    made.push(response.body)
  }
}

test('a killed service loses no device, and starts again each time', async (t) => {
  const dataDir = await preparedDataDir(t)
  const environment = { MOORING_DATA_DIR: dataDir }
  let service = await startService(t, dataDir)
  const makeKey = async (kind: string): Promise<string> => {
    const args = ['keys', 'create', '--workspace', 'main', '--kind', kind]
    return (await runMooring(t, args, { environment })).stdout.trim()
  }
  const [platform, key] = [as.platformKey(await makeKey('platform')), await makeKey('provision')]
  const { body } = await service.call('GET', '/workspaces', { as: platform })
  const path = `/workspaces/${body.items[0].id}`
  const template = { model_key: 'sensor', name: 'Sensor', serial_format: 'S-%#f' }
  await service.call('POST', `${path}/device-templates`, { as: platform, body: template })

  const made: Device[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    const workers = Array.from({ length: WORKERS }, () => provision(service, key, made))
    await until('devices are registered', () => made.length >= round * 100)
    await service.stop('SIGKILL')
    await Promise.all(workers)
    service = await startService(t, dataDir)
  }
  const kept = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor && `&cursor=${encodeURIComponent(cursor)}`
    const page = await service.call('GET', `${path}/devices?limit=200${after}`, { as: platform })
    for (const { id } of page.body.items) kept.add(id)
    cursor = page.body.next_cursor
  }
  assert.deepEqual(
    made.filter(({ device_id: id }) => !kept.has(id)),
    [],
  )
  assert.ok(made.length >= ROUNDS * 100)
  // The last of each round were in flight when the service was killed.
  for (const device of made.slice(-20)) {
    const login = { ...device, mqtt_port: service.mqtt.port }
    const { code, client } = await tryConnect(t, login)
    assert.equal(code, 0)
    client.end(true)
  }
})
