/**
 * A device: connects over MQTT with the credentials that the factory stored, publishes state and
 * telemetry, subscribes to commands, and on request lets a phone claim it or rotates its
 * credentials.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { ProvisionedDevice } from '../sdk/schema.ts'
import { connect, fail, openClient, readOptions, url } from './api.ts'

const help = `Usage: npx node examples/device.ts --credentials device.json [options]

  --credentials <file>   one line of what examples/factory.ts prints (or DEVICE_CREDENTIALS)
  --url <origin>         of the service (or API_URL; http://127.0.0.1:8080)
  --claim <code>         bind the device to the phone that shows this code
  --rotate               ask for new credentials first, and keep them in the file
  --for <seconds>        how long it runs; 10 if left out

Example: npx node examples/device.ts --credentials device.json --claim pc_…`

const values = readOptions(help, {
  credentials: { type: 'string', default: process.env['DEVICE_CREDENTIALS'] },
  url,
  claim: { type: 'string' },
  rotate: { type: 'boolean' },
  for: { type: 'string', default: '10' },
})

const openApi = ({ device_http_token: token }: ProvisionedDevice) =>
  openClient(values.url, { token })

async function rotate(file: string, device: ProvisionedDevice): Promise<ProvisionedDevice> {
  const next = await openApi(device).call('rotateOwnCredentials')
  // Stored before it is used: the first use of the new secret invalidates the old one.
  writeFileSync(file, `${JSON.stringify({ ...device, ...next })}\n`, { mode: 0o600 })
  console.log('rotated its credentials')
  return next
}

async function main(file: string): Promise<void> {
  let device = JSON.parse(readFileSync(file, 'utf8')) as ProvisionedDevice
  if (!device.mqtt_password) throw new Error(`${file} holds no answer of POST /provision/device`)
  if (values.rotate) device = await rotate(file, device)
  const client = await connect(device)
  const topics = `${device.workspace_slug}/${device.device_key}`
  console.log(`connected as ${device.device_key}`)
  client.on('message', (topic, payload) => console.log(`${topic}: ${payload.toString()}`))
  client.on('close', () => console.log('disconnected'))
  await client.subscribeAsync([`${topics}/cmd`, `${topics}/cmd/#`], { qos: 1 })
  if (values.claim !== undefined) {
    await openApi(device).call('bindClaim', { body: { claim_code: values.claim } })
    console.log('bound to the phone that shows the code')
  }
  const until = Date.now() + Number(values.for) * 1000
  for (let count = 1; client.connected && Date.now() < until; count += 1) {
    const temperature = 20 + Math.round(Math.random() * 20) / 10
    await client.publishAsync(`${topics}/telemetry`, JSON.stringify({ temperature }))
    await client.publishAsync(`${topics}/state`, JSON.stringify({ on: true, count }), { qos: 1 })
    console.log(
      `published ${temperature} °C on telemetry, and {"on":true,"count":${count}} as its state`,
    )
    await new Promise((resolve) => setTimeout(resolve, Math.min(2_000, until - Date.now())))
  }
  await client.endAsync()
}

if (values.credentials === undefined) fail(new Error(help))
else await main(values.credentials).catch(fail)
