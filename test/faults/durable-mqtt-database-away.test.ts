/**
 * The database hangs, and then crashes, under a service that stores MQTT sessions: no message is
 * acknowledged that is not stored, connections stay, and what was acknowledged is delivered.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import {
  assertDelivered,
  publishAlways,
} from '../features/mqtt/durable-sessions/acknowledged-load.ts'
import {
  addPrincipal,
  DURABLE,
  type Listener,
  listen,
} from '../features/mqtt/durable-sessions/durable-service.ts'
import { defer } from '../support/cleanup.ts'
import { preparedDataDir, printedOwner, signIn, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const PUBLISHERS = 6
/** Acknowledgements that show that it works. */
const ROUND = 100

const postmasterOf = (dataDir: string): number =>
  Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)

/** Stops all processes of the embedded Postgres. @returns what continues them */
function freeze(t: TestContext, dataDir: string): () => void {
  const postmaster = postmasterOf(dataDir)
  const children = execFileSync('pgrep', ['-P', String(postmaster)], { encoding: 'utf8' })
  const processes = [postmaster, ...children.trim().split('\n').map(Number)]
  const send = (signal: NodeJS.Signals): void => {
    for (const pid of processes) process.kill(pid, signal)
  }
  send('SIGSTOP')
  let isFrozen = true
  const thaw = (): void => {
    if (isFrozen) send('SIGCONT')
    isFrozen = false
  }
  defer(t, thaw)
  return thaw
}

/** A service that stores sessions, and a way to connect to it. */
async function started(t: TestContext) {
  const dataDir = await preparedDataDir(t)
  const service = await startService(t, dataDir, { environment: DURABLE })
  const headers = await signIn(service, printedOwner(service))
  const { body } = await service.call('GET', '/workspaces', { headers })
  const { id: workspaceId, slug } = body.items[0]
  const login = await addPrincipal({ call: service.call, workspaceId, headers }, 'client')
  const app = { app: { ports: { mqtt: service.mqtt.port } } }
  const connect = (name: string): Promise<Listener> =>
    listen(t, app, login, { clientId: `${login.device_id}:${name}`, connectTimeout: 60_000 })
  return { dataDir, service, slug, connect }
}

test('while its database is away, nothing is acknowledged, and nothing acknowledged is lost', {
  timeout: 300_000,
}, async (t) => {
  const { dataDir, service, slug, connect } = await started(t)
  const topics = [`${slug}/one`, `${slug}/two`] as const
  const subscriber = await connect('subscriber')
  await subscriber.client.subscribeAsync({ [topics[0]]: { qos: 1 }, [topics[1]]: { qos: 2 } })
  const absent = await connect('absent')
  await absent.client.subscribeAsync(`${slug}/three`, { qos: 1 })
  await absent.client.endAsync()
  const names = Array.from({ length: PUBLISHERS }, (_, index) => `publisher-${index}`)
  const publishers = await Promise.all(names.map(connect))
  let closed = 0
  for (const { client } of [subscriber, ...publishers]) client.on('close', () => (closed += 1))
  const { acknowledged, continues, end } = publishAlways(publishers, topics)
  await continues(ROUND)

  const thaw = freeze(t, dataDir)
  const stored = { isAcknowledged: false }
  const storing = publishers[0]?.client
    .publishAsync(`${slug}/three`, 'kept', { qos: 1 })
    .then(() => (stored.isAcknowledged = true))
  await until('the outage is noticed', () => /is not available/.test(service.output.stderr))
  assert.equal(stored.isAcknowledged, false, 'the message is acknowledged without being stored')
  thaw()
  await storing
  await continues(ROUND)

  process.kill(postmasterOf(dataDir), 'SIGKILL')
  await until('it runs again', () => /runs again/.test(service.output.stderr))
  await continues(ROUND)
  await end()
  await assertDelivered(subscriber, acknowledged)
  assert.equal(closed, 0, 'a connection was closed')
  const back = await connect('absent')
  assert.equal(back.isPresent, true)
  await until('the stored message arrives', () => back.texts().includes('kept'))
})
