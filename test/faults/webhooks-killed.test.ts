/**
 * kill -9 while webhooks are delivered, again and again: every event arrives, and those of one
 * device in their order. MOORING_TEST_KILLS says how often; CI asks for more than a quick run does.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import type { Headers } from '../support/app.ts'
import {
  preparedDataDir,
  printedOwner,
  type Service,
  signIn,
  startService,
} from '../support/service.ts'
import { until } from '../support/until.ts'
import { assertSigned, firsts } from '../features/events/webhooks/event-delivery.ts'
import { startReceiver } from '../features/events/webhooks/receivers.ts'

const KILLS = Number(process.env.MOORING_TEST_KILLS ?? 1)
const DEVICES = 8

const environment = {
  MOORING_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  MOORING_WEBHOOK_RETRY_S: '0.2,0.5,1,2,5,36000',
}

interface Received {
  id: string
  data: { device_id: string }
}

interface Place {
  path: string
  headers: Headers
}

/** Changes one device after the other until the service is gone; only what was answered counts. */
async function changeUntilKilled(
  { call }: Service,
  { path, headers }: Place,
  devices: readonly string[],
  changed: { count: number },
): Promise<void> {
  try {
    for (let turn = 0; ; turn += 1) {
      const device = devices[turn % devices.length]
      const body = { name: `n-${changed.count}-${turn}` }
      const { status } = await call('PATCH', `${path}/devices/${device}`, { headers, body })
      if (status !== 200) return
      changed.count += 1
      await sleep(5)
    }
  } catch {
    // Nobody knows whether this one was made; the feed shows it.
  }
}

/** Rows of the feed about changed devices. */
async function readFeed({ call }: Service, { path, headers }: Place): Promise<Received[]> {
  const received: Received[] = []
  let query = '?types=device.updated&limit=200'
  for (;;) {
    const { body, text, status } = await call('GET', `${path}/events${query}`, { headers })
    assert.equal(status, 200, text)
    received.push(...(body.items as Received[]))
    if (body.items.length === 0) return received
    query = `?types=device.updated&limit=200&after=${body.next_cursor}`
  }
}

async function prepare(service: Service): Promise<Place & { devices: string[] }> {
  const headers = await signIn(service, printedOwner(service))
  const { body: workspaces } = await service.call('GET', '/workspaces', { headers })
  const path = `/workspaces/${workspaces.items[0].id}`
  const devices: string[] = []
  for (let n = 0; n < DEVICES; n += 1) {
    const body = { device_key: `D-${n}` }
    const made = await service.call('POST', `${path}/devices`, { headers, body })
    assert.equal(made.status, 201, made.text)
    devices.push(made.body.id)
  }
  return { path, headers, devices }
}

test(`a service that is killed ${KILLS} times while it delivers loses no event and keeps their order`, {
  timeout: 300_000 + KILLS * 30_000,
}, async (t) => {
  const dataDir = await preparedDataDir(t)
  const receiver = await startReceiver(t)
  receiver.delayMs = 5
  let service = await startService(t, dataDir, { environment })
  const { devices, ...place } = await prepare(service)
  const made = await service.call('POST', `${place.path}/webhooks`, {
    headers: place.headers,
    body: { url: receiver.url, types: ['device.updated'] },
  })
  assert.equal(made.status, 201, made.text)
  const changed = { count: 0 }
  for (let kill = 0; kill < KILLS; kill += 1) {
    const clients = [0, 1].map((half) =>
      changeUntilKilled(
        service,
        place,
        devices.filter((_device, at) => at % 2 === half),
        changed,
      ),
    )
    const [before, changedBefore] = [receiver.got.length, changed.count]
    await until('it delivers', () => receiver.got.length > before && changed.count > changedBefore)
    await sleep(Math.random() * 400)
    await service.stop('SIGKILL')
    await Promise.all(clients)
    service = await startService(t, dataDir, { environment })
  }
  const received = await until('the feed has all', async () => {
    const events = await readFeed(service, place)
    return events.length >= changed.count && events
  })
  await until('everything has arrived', () => received.every(({ id }) => receiver.ids.has(id)))
  const arrived = firsts(receiver.got)
  for (const device of devices) {
    const own = arrived.filter(
      ({ body }) => (JSON.parse(body) as Received).data.device_id === device,
    )
    const wanted = received.filter(({ data }) => data.device_id === device)
    assert.deepEqual(
      own.map(({ id }) => id),
      wanted.map(({ id }) => id),
    )
  }
  assertSigned(arrived, made.body.secret)
  assert.equal((await service.stop()).code, 0)
})
