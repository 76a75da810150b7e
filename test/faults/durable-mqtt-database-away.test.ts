/**
 * The database hangs, and then crashes, under a service that stores MQTT sessions: no message is
 * acknowledged that is not stored, connections stay, and what was acknowledged is delivered.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { addPrincipal, DURABLE, listen } from '../features/mqtt/durable-sessions/durable-service.ts'
import { defer } from '../support/cleanup.ts'
import { preparedDataDir, printedOwner, signIn, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const PUBLISHERS = 6
/** Messages that each has under way at once. */
const WINDOW = 5
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

type Connected = Awaited<ReturnType<typeof listen>>

/** Messages on two topics, the second with QoS 2, until the work is over. */
function publishAlways(publishers: readonly Connected[], topics: readonly [string, string]) {
  const acknowledged: Record<1 | 2, string[]> = { 1: [], 2: [] }
  const stage = { isOver: false }
  const work = publishers.flatMap(({ client }, publisher) =>
    Array.from({ length: WINDOW }, async (_, line) => {
      const qos = publisher % 2 === 0 ? 1 : 2
      for (let count = 0; !stage.isOver; count += 1) {
        const message = `${publisher}/${line}/${count}`
        await client.publishAsync(topics[qos - 1] as string, message, { qos })
        acknowledged[qos].push(message)
      }
    }),
  )
  const count = (): number => acknowledged[1].length + acknowledged[2].length
  const continues = async (): Promise<void> => {
    const before = count()
    await until('messages are acknowledged', () => count() >= before + ROUND)
  }
  const end = async (): Promise<void> => {
    stage.isOver = true
    await Promise.all(work)
  }
  return { acknowledged, continues, end }
}

/** Everything is delivered, and with QoS 2 once. */
async function assertDelivered(
  { texts }: Connected,
  acknowledged: Record<1 | 2, string[]>,
): Promise<void> {
  const seen = new Map<string, number>()
  const missing = (): string[] => {
    seen.clear()
    for (const text of texts()) seen.set(text, (seen.get(text) ?? 0) + 1)
    return [...acknowledged[1], ...acknowledged[2]].filter((text) => !seen.has(text))
  }
  await until('everything acknowledged is delivered', () => missing().length === 0)
  const twice = acknowledged[2].filter((text) => seen.get(text) !== 1)
  assert.deepEqual(twice, [], 'QoS 2 is delivered once')
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
  const connect = (name: string): Promise<Connected> =>
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
  await continues()

  const thaw = freeze(t, dataDir)
  const stored = { isAcknowledged: false }
  const storing = publishers[0]?.client
    .publishAsync(`${slug}/three`, 'kept', { qos: 1 })
    .then(() => (stored.isAcknowledged = true))
  await until('the outage is noticed', () => /is not available/.test(service.output.stderr))
  assert.equal(stored.isAcknowledged, false, 'it is not stored, and yet acknowledged')
  thaw()
  await storing
  await continues()

  process.kill(postmasterOf(dataDir), 'SIGKILL')
  await until('it runs again', () => /runs again/.test(service.output.stderr))
  await continues()
  await end()
  await assertDelivered(subscriber, acknowledged)
  assert.equal(closed, 0, 'a connection was closed')
  const back = await connect('absent')
  assert.equal(back.isPresent, true)
  await until('the stored message arrives', () => back.texts().includes('kept'))
})
