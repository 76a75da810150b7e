/** Devices that subscribe to commands, and staff that send them. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { IClientOptions, MqttClient } from 'mqtt'
import { as, type CallResult, type TestApp } from './app.ts'
import { connectDevice, type DeviceLogin } from './mqtt.ts'

export interface Fleet extends DeviceLogin {
  device_key: string
  workspace_slug: string
  device_http_token: string
  /** `…/devices/{id}/commands`. */
  path: string
  topic: string
}

export interface Heard {
  topic: string
  id: string
  name: string
  payload: unknown
}

export const staff = ({ seed }: TestApp) => as.platformKey(seed.platformKey)

/** Registers a device; it logs in to the broker of `at`. */
export async function registerDevice(app: TestApp, at: TestApp = app): Promise<Fleet> {
  const { body, status, text } = await app.call('POST', '/provision/device', {
    as: as.factory(app.seed.provisionKey),
    body: { template_id: app.seed.template.id },
  })
  assert.equal(status, 201, text)
  return {
    ...body,
    mqtt_port: at.app.ports.mqtt,
    path: `/workspaces/${app.seed.id}/devices/${body.device_id}/commands`,
    topic: `${body.workspace_slug}/${body.device_key}`,
  }
}

export async function sendCommand(
  app: TestApp,
  { path }: Pick<Fleet, 'path'>,
  body: object = { name: 'reboot' },
): Promise<CallResult['body']> {
  const response = await app.call('POST', path, { as: staff(app), body })
  assert.equal(response.status, 201, response.text)
  return response.body
}

/** Reads a command, waiting for its end. */
export async function awaitEnd(
  app: TestApp,
  { path }: Pick<Fleet, 'path'>,
  id: string,
): Promise<CallResult['body']> {
  return (await app.call('GET', `${path}/${id}?wait=30`, { as: staff(app) })).body
}

/** Connects, subscribes, and writes down what comes. */
export async function listen(
  t: TestContext,
  device: Fleet,
  filters: readonly string[] = ['cmd'],
  options: IClientOptions = {},
): Promise<{ client: MqttClient; heard: Heard[] }> {
  const client = await connectDevice(t, device, options)
  const heard: Heard[] = []
  client.on('message', (topic, payload) => {
    heard.push({ topic, ...(JSON.parse(payload.toString()) as Omit<Heard, 'topic'>) })
  })
  for (const filter of filters) await client.subscribeAsync(`${device.topic}/${filter}`, { qos: 1 })
  return { client, heard }
}

export const respondTo = (
  client: MqttClient,
  device: Fleet,
  response: Record<string, unknown>,
): Promise<unknown> =>
  client.publishAsync(`${device.topic}/ack`, JSON.stringify(response), { qos: 1 })
