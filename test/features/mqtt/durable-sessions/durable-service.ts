/** A service whose MQTT sessions are stored, and clients that hear everything in a workspace. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import mqtt, { type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt'
import {
  as,
  type Headers,
  startApp,
  type StartOptions,
  type TestApp,
} from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import type { DeviceLogin } from '../../../support/mqtt.ts'

export const DURABLE = { MOORING_MQTT_DURABLE: 'all' }

export const startDurable = (t: TestContext, options: StartOptions = {}): Promise<TestApp> =>
  startApp(t, { ...options, environment: { ...DURABLE, ...options.environment } })

/** Below the slug of the workspace. */
const TOPICS = ['one', 'two', 'three', 'four', 'news', '{principal_id}']

interface Caller {
  call: TestApp['call']
  workspaceId: string
  headers: Headers
}

/** A principal that may publish to these topics, and subscribe to everything in the workspace. */
export async function addPrincipal(
  { call, workspaceId, headers }: Caller,
  name: string,
): Promise<DeviceLogin> {
  const path = `/workspaces/${workspaceId}/mqtt/principals`
  const made = await call('POST', path, { headers, body: { name } })
  assert.equal(made.status, 201, made.text)
  const acls = `${path}/${made.body.id}/acls`
  const rules = TOPICS.map((topic) => ({ action: 'publish', topic: `{slug}/${topic}` }))
  for (const rule of [...rules, { action: 'subscribe', topic: '{slug}/#' }]) {
    const added = await call('POST', acls, { headers, body: { ...rule, permission: 'allow' } })
    assert.equal(added.status, 201, added.text)
  }
  const { username, password, port } = made.body.mqtt_credentials
  return { device_id: username, mqtt_password: password, mqtt_port: port }
}

export const makePrincipal = ({ call, seed }: TestApp, name: string): Promise<DeviceLogin> =>
  addPrincipal({ call, workspaceId: seed.id, headers: as.platformKey(seed.platformKey) }, name)

export interface Listener {
  client: MqttClient
  /** Whether the CONNACK said that the session is present. */
  isPresent: boolean
  packets: IPublishPacket[]
  texts: () => string[]
}

/** Connects with a session that stays for an hour; nothing that arrives is missed. */
export function listen(
  t: Pick<TestContext, 'after'>,
  { app }: { app: { ports: { mqtt: number } } },
  login: DeviceLogin,
  options: IClientOptions = {},
): Promise<Listener> {
  const client = mqtt.connect({
    host: '127.0.0.1',
    port: app.ports.mqtt,
    username: login.device_id,
    password: login.mqtt_password,
    clientId: login.device_id,
    protocolVersion: 5,
    clean: false,
    properties: { sessionExpiryInterval: 3_600 },
    reconnectPeriod: 0,
    resubscribe: false,
    ...options,
  })
  defer(t, () => client.end(true))
  const packets: IPublishPacket[] = []
  client.on('message', (_topic, _payload, packet) => packets.push(packet))
  const texts = (): string[] => packets.map(({ payload }) => payload.toString())
  return new Promise((resolve, reject) => {
    // Only the first matters: later ones are met by connecting again.
    client.on('error', reject)
    client.once('connect', ({ sessionPresent }) =>
      resolve({ client, isPresent: sessionPresent, packets, texts }),
    )
  })
}

/** A process on the same database in place of one that has ended, or is taken for dead. */
export const next = (app: TestApp): Promise<TestApp> => app.sibling()
