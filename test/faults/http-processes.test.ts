/**
 * A service of several processes on one machine: API processes are killed in turn under load, and
 * keys are revoked meanwhile. Nothing acknowledged is lost, no revoked key is admitted.
 * MOORING_TEST_KILLS says how often, MOORING_TEST_KILL_PAUSE_S how many seconds apart. This takes
 * five minutes: MOORING_TEST_KILLS=30 MOORING_TEST_KILL_PAUSE_S=10 npm test --
 * test/faults/http-processes.test.ts
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { as, type CallOptions, type CallResult } from '../support/app.ts'
import { tryConnect } from '../support/mqtt.ts'
import {
  preparedDataDir,
  printedOwner,
  type Service,
  signIn,
  startService,
} from '../support/service.ts'
import { until } from '../support/until.ts'

const PROCESSES = 3
const CLIENTS = 4
const KILLS = Number(process.env.MOORING_TEST_KILLS ?? 2)
const PAUSE_MS = 1_000 * Number(process.env.MOORING_TEST_KILL_PAUSE_S ?? 0)
/** How long after its revocation a key may still be admitted. */
const BOUND_MS = 1_000
/** So many new connections reach each process. */
const CONNECTIONS = 20

/** The processes that serve the API: children of the service that run the same program. */
function workersOf({ process: { pid } }: Service): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((each) => {
      try {
        const [, parent] =
          / (\d+) /.exec(readFileSync(`/proc/${each}/stat`, 'utf8').split(')')[1] ?? '') ?? []
        return (
          Number(parent) === pid &&
          /start\.ts\0serve/.test(readFileSync(`/proc/${each}/cmdline`, 'utf8'))
        )
      } catch {
        return false
      }
    })
}

/** The status of a request on a connection of its own, which any process may get. */
const statusOf = (url: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve) => {
    get(url, { agent: false, headers, timeout: 30_000 }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).on('error', () => resolve(undefined))
  })

/** The response to a request that is repeated until there is one, as clients do. */
async function insist(
  { call }: Service,
  method: string,
  path: string,
  options: CallOptions,
): Promise<CallResult> {
  for (;;) {
    const response = await call(method, path, options).catch(() => undefined)
    if (response !== undefined && response.status !== 503) return response
  }
}

interface Workspace {
  service: Service
  path: string
  owner: { headers: Record<string, string> }
}

interface Made {
  hardware: string
  device: { device_id: string; mqtt_password: string }
}

/** Registers devices, each until it is acknowledged: a factory repeats what got no response. */
async function register(
  service: Service,
  { key, template, isOver }: { key: string; template: string; isOver: () => boolean },
  made: Made[],
): Promise<void> {
  while (!isOver()) {
    const hardware = crypto.randomUUID()
    const body = { template_id: template, hardware_id: hardware }
    const options = { as: as.factory(key), body }
    const response = await insist(service, 'POST', '/provision/device', options)
    assert.equal(response.status, 201, response.text)
    made.push({ hardware, device: response.body })
  }
}

interface Key {
  id: string
  key: string
}

async function newKey({ service, path, owner }: Workspace): Promise<Key> {
  const options = { ...owner, body: { key_kind: 'provision' } }
  const response = await insist(service, 'POST', `${path}/api-keys`, options)
  assert.equal(response.status, 201, response.text)
  return response.body
}

/** The response of each process to a key. */
const statusesOf = (service: Service, key: string): Promise<(number | undefined)[]> =>
  Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      statusOf(`${service.origin}/api/v1/provision/device-templates`, as.factory(key)),
    ),
  )

interface Revoked {
  key: string
  /** By `performance.now`. */
  at: number
}

async function revoke({ service, path, owner }: Workspace, { id, key }: Key): Promise<Revoked> {
  const response = await insist(service, 'DELETE', `${path}/api-keys/${id}`, owner)
  assert.equal(response.status, 204, response.text)
  return { key, at: performance.now() }
}

/** While processes are killed, a request may get no response; a revoked key is never admitted. */
async function watch(service: Service, revoked: readonly Revoked[], isOver: () => boolean) {
  while (!isOver()) {
    for (const { key, at } of revoked) {
      if (performance.now() - at < BOUND_MS) continue
      for (const status of await statusesOf(service, key)) {
        assert.ok([401, 503, undefined].includes(status), `a revoked key gets ${status}`)
      }
    }
    await sleep(50)
  }
}

/** Kills them in turn, and revokes a key after each kill. */
async function killInTurn(workspace: Workspace, made: Made[], revoked: Revoked[]): Promise<void> {
  const { service } = workspace
  const turns = workersOf(service)
  assert.equal(turns.length, PROCESSES - 1)
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const before = made.length
    const key = await newKey(workspace)
    assert.deepEqual(new Set(await statusesOf(service, key.key)), new Set([200]))
    await until('devices are registered', () => made.length >= before + 30)
    const victim = turns.shift() as number
    process.kill(victim, 'SIGKILL')
    revoked.push(await revoke(workspace, key))
    const successor = await until('it is replaced', () =>
      workersOf(service).find((pid) => pid !== victim && !turns.includes(pid)),
    )
    turns.push(successor)
    await sleep(PAUSE_MS)
  }
}

/** Every acknowledged device is there, once. */
async function assertKept(
  { service, path, owner }: Workspace,
  made: readonly Made[],
): Promise<void> {
  const kept = new Map<string, string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor && `&cursor=${encodeURIComponent(cursor)}`
    const page = await service.call('GET', `${path}/devices?limit=200${after}`, owner)
    for (const device of page.body.items) {
      assert.ok(!kept.has(device.hardware_id), 'a device exists twice')
      kept.set(device.hardware_id, device.id)
    }
    cursor = page.body.next_cursor
  }
  for (const { hardware, device } of made) assert.equal(kept.get(hardware), device.device_id)
}

async function startWorkspace(t: TestContext): Promise<Workspace> {
  const dataDir = await preparedDataDir(t)
  const environment = { MOORING_DATA_DIR: dataDir, MOORING_PROCESSES: String(PROCESSES) }
  const service = await startService(t, dataDir, { environment })
  const owner = { headers: await signIn(service, printedOwner(service)) }
  const { body } = await service.call('GET', '/workspaces', owner)
  return { service, owner, path: `/workspaces/${body.items[0].id}` }
}

const isLinux = process.platform === 'linux'

test('a process of the API that is killed under load is replaced, nothing acknowledged is lost, no revoked key admitted', {
  skip: isLinux ? false : 'the processes are found by /proc',
}, async (t) => {
  const workspace = await startWorkspace(t)
  const { service, path, owner } = workspace
  const { key } = await newKey(workspace)
  const template = { model_key: 'sensor', name: 'Sensor', serial_format: 'S-%#f' }
  const { id } = (
    await service.call('POST', `${path}/device-templates`, { ...owner, body: template })
  ).body

  const made: Made[] = []
  const revoked: Revoked[] = []
  let isDone = false
  const isOver = () => isDone
  const clients = Array.from({ length: CLIENTS }, () =>
    register(service, { key, template: id, isOver }, made),
  )
  const watched = watch(service, revoked, isOver)
  await killInTurn(workspace, made, revoked)
  await sleep(BOUND_MS)
  isDone = true
  await Promise.all([...clients, watched])

  for (const each of revoked) {
    assert.deepEqual(new Set(await statusesOf(service, each.key)), new Set([401]))
  }
  await assertKept(workspace, made)
  const { device } = made.at(-1) as Made
  const { code, client } = await tryConnect(t, { ...device, mqtt_port: service.mqtt.port })
  assert.equal(code, 0, 'the broker of the other process admits the registered device')
  client.end(true)

  const checked = async () => (await service.call('GET', `${path}/audit-log/verify`, owner)).body
  await until('all entries are chained', async () => (await checked()).unsealed === 0)
  assert.equal((await checked()).valid, true)
  assert.equal((await service.stop()).code, 0)
})
