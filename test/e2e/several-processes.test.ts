/** One machine with several processes: what the broker has acknowledged, every process reads. */
import assert from 'node:assert/strict'
import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { tryConnect } from '../support/mqtt.ts'
import { preparedDataDir, printedOwner, signIn, startService } from '../support/service.ts'

const PROCESSES = 3
/** States, of which each is read twice: connections are spread over the processes. */
const STATES = 40

/** On a connection of its own, which any process may get. */
const read = (url: string, headers: Record<string, string>): Promise<unknown> =>
  new Promise((resolve, reject) => {
    get(url, { agent: false, headers }, (response) => resolve(json(response))).on('error', reject)
  })

test('a state that was acknowledged is read through every process', async (t) => {
  const dataDir = await preparedDataDir(t)
  const environment = { MOORING_DATA_DIR: dataDir, MOORING_PROCESSES: String(PROCESSES) }
  const service = await startService(t, dataDir, { environment })
  const headers = await signIn(service, printedOwner(service))
  const { body: workspaces } = await service.call('GET', '/workspaces', { headers })
  const path = `/workspaces/${workspaces.items[0].id}`
  const { body: key } = await service.call('POST', `${path}/api-keys`, {
    headers,
    body: { key_kind: 'provision' },
  })
  const { body: device } = await service.call('POST', '/provision/device', {
    headers: { 'service-auth-code': key.key },
    body: { device_key: 'lamp-1' },
  })
  const { code, client } = await tryConnect(t, { ...device, mqtt_port: service.mqtt.port })
  assert.equal(code, 0)
  const url = `${service.origin}/api/v1${path}/devices/${device.device_id}/state`
  for (let level = 1; level <= STATES; level += 1) {
    const topic = `${device.workspace_slug}/${device.device_key}/state`
    await client.publishAsync(topic, JSON.stringify({ level }), { qos: 1 })
    const found = await Promise.all([read(url, headers), read(url, headers)])
    for (const each of found) assert.deepEqual((each as { state: unknown }).state, { level })
  }
  client.end(true)
  assert.equal((await service.stop()).code, 0)
})
