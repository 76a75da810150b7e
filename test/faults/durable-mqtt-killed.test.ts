/**
 * kill -9 of a service that stores MQTT sessions, with many publishers: acknowledged messages are
 * delivered, and with QoS 2 once. MOORING_TEST_KILLS says how often it is killed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertDelivered,
  publishAlways,
} from '../features/mqtt/durable-sessions/acknowledged-load.ts'
import { addPrincipal, DURABLE, listen } from '../features/mqtt/durable-sessions/durable-service.ts'
import { freePort } from '../support/free-port.ts'
import { preparedDataDir, printedOwner, signIn, startService } from '../support/service.ts'

const KILLS = Number(process.env.MOORING_TEST_KILLS ?? 2)
const PUBLISHERS = 10
/** Acknowledgements between two kills. */
const ROUND = 200

test(`a service that is killed ${KILLS} times delivers every acknowledged message, and QoS 2 once`, {
  timeout: 300_000 + KILLS * 60_000,
}, async (t) => {
  const dataDir = await preparedDataDir(t)
  const port = await freePort()
  const environment = { ...DURABLE, MOORING_MQTT_PORT: String(port) }
  let service = await startService(t, dataDir, { environment })
  const owner = printedOwner(service)
  const headers = await signIn(service, owner)
  const { body } = await service.call('GET', '/workspaces', { headers })
  const { id: workspaceId, slug } = body.items[0]
  const login = await addPrincipal({ call: service.call, workspaceId, headers }, 'client')
  const app = { app: { ports: { mqtt: port } } }
  const connect = (name: string) =>
    listen(t, app, login, {
      clientId: `${login.device_id}:${name}`,
      // In MQTT 5 a PUBREL that is repeated after the kill may be answered with 0x92, which this
      // client takes for a failure.
      protocolVersion: 4,
      reconnectPeriod: 50,
      reconnectOnConnackError: true,
      // The port is closed between two services.
      connectTimeout: 5_000,
    })
  const subscriber = await connect('subscriber')
  const topics = [`${slug}/one`, `${slug}/two`] as const
  await subscriber.client.subscribeAsync(
    Object.fromEntries(topics.map((topic, index) => [topic, { qos: (index + 1) as 1 | 2 }])),
  )
  const presence: boolean[] = []
  subscriber.client.on('connect', ({ sessionPresent }) => void presence.push(sessionPresent))
  const publishers = await Promise.all(
    Array.from({ length: PUBLISHERS }, (_, index) => connect(`publisher-${index}`)),
  )
  const { acknowledged, continues, end } = publishAlways(publishers, topics)
  for (let kill = 0; kill < KILLS; kill += 1) {
    await continues(ROUND)
    await service.stop('SIGKILL')
    service = await startService(t, dataDir, { environment })
  }
  await continues(ROUND)
  await end()
  await assertDelivered(subscriber, acknowledged)
  assert.ok(acknowledged[1].length > 0 && acknowledged[2].length > 0)
  assert.equal(presence.length, KILLS)
  assert.ok(presence.every(Boolean), 'the session is present at each reconnect')
})
