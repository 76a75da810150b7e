/** The first example of the README, which shows this program: from a key to a device of a phone. */
import { setTimeout as sleep } from 'node:timers/promises'
import mqtt from 'mqtt'
import { createClient } from '../sdk/client.ts'

const { TOKEN = '', WORKSPACE = '', API_URL: baseUrl = 'http://127.0.0.1:8080' } = process.env
const owner = createClient({ baseUrl, token: TOKEN })
const params = { id: WORKSPACE }

// A template for the model, unless the program has run before, and a key for its factory.
const model = { model_key: 'lamp', name: 'Lamp', serial_format: 'L-%Y-%#f' }
const lamps = await owner.call('listDeviceTemplates', { params, query: { model_key: 'lamp' } })
const template =
  lamps.items[0] ?? (await owner.call('createDeviceTemplate', { params, body: model }))
const key = await owner.call('createApiKey', {
  params,
  body: { key_kind: 'provision', name: 'Line 1' },
})

// The factory registers a device. Sent twice, it is one device and the same response.
const factory = createClient({ baseUrl, provisionKey: key.key })
const body = { template_id: template.id, hardware_id: `board-${crypto.randomUUID()}` }
await factory.call('provisionDevice', { body })
const lamp = await factory.call('provisionDevice', { body })
console.log(`provisioned ${lamp.device_key}`)

// The device connects and publishes its state. The client id is the user name.
const { mqtt_host: host, mqtt_port: port, mqtt_username: username, mqtt_password: password } = lamp
const connection = await mqtt.connectAsync({ host, port, username, password, clientId: username })
const topic = `${lamp.workspace_slug}/${lamp.device_key}/state`
await connection.publishAsync(topic, '{"on":true,"brightness":40}', { qos: 1 })
await connection.endAsync()
const found = await owner.call('getDeviceState', {
  params: { ...params, device_id: lamp.device_id },
})
console.log(`its state is ${JSON.stringify(found.state)}`)

// A phone gets an identity without an account, and a code; the device sends the code.
const session = await createClient({ baseUrl }).call('startMoidSession')
const phone = createClient({ baseUrl, token: session.access_token })
const { claim_code } = await phone.call('createClaim', {
  body: { workspace_id: WORKSPACE, name: 'Kitchen' },
})
const device = createClient({ baseUrl, token: lamp.device_http_token })
await device.call('bindClaim', { body: { claim_code } })
for await (const { name, device_key } of phone.pages('listMoidDevices')) {
  console.log(`the phone has ${name}: ${device_key}`)
}

// Within a second every process of the service refuses the factory; the device keeps working.
await owner.call('revokeApiKey', { params: { ...params, key_id: key.id } })
await sleep(1_000)
const refusal = await factory.call('provisionDevice', { body }).catch((error: Error) => error)
console.log(`the factory: ${refusal instanceof Error ? refusal.message : 'still works'}`)
