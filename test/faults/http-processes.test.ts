/** A service of several processes on one machine: one is killed under load, and nothing is lost. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { test } from 'node:test'
import { as } from '../support/app.ts'
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
const KILLS = 2

/** The processes that answer the API: children of the service that run the same program. */
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

interface Made {
  hardware: string
  device: { device_id: string; mqtt_password: string }
}

/** Registers devices, each until it is acknowledged: a factory repeats what got no response. */
async function register(
  { call }: Service,
  { key, template, isOver }: { key: string; template: string; isOver: () => boolean },
  made: Made[],
): Promise<void> {
  while (!isOver()) {
    const hardware = crypto.randomUUID()
    const body = { template_id: template, hardware_id: hardware }
    let response: Awaited<ReturnType<typeof call>> | undefined
    while (response === undefined || response.status === 503) {
      response = await call('POST', '/provision/device', { as: as.factory(key), body }).catch(
        () => undefined,
      )
    }
    assert.equal(response.status, 201, response.text)
    made.push({ hardware, device: response.body })
  }
}

/** Every acknowledged device is there, once. */
async function assertKept(
  service: Service,
  path: string,
  owner: { headers: Record<string, string> },
  made: readonly Made[],
): Promise<void> {
  const kept = new Map<string, string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor && `&cursor=${encodeURIComponent(cursor)}`
    const page = await service.call('GET', `${path}/devices?limit=200${after}`, owner)
    for (const device of page.body.items) {
      assert.ok(!kept.has(device.hardware_id), 'a device is there twice')
      kept.set(device.hardware_id, device.id)
    }
    cursor = page.body.next_cursor
  }
  for (const { hardware, device } of made) assert.equal(kept.get(hardware), device.device_id)
}

/** A key that is revoked through one process is refused by all. */
async function assertRevocable(
  service: Service,
  path: string,
  owner: { headers: Record<string, string> },
  key: string,
): Promise<void> {
  const templates = `${service.origin}/api/v1/provision/device-templates`
  const statuses = () =>
    Promise.all(Array.from({ length: 20 }, () => statusOf(templates, as.factory(key))))
  assert.deepEqual(new Set(await statuses()), new Set([200]))
  const revoked = await service.call('DELETE', path, owner)
  assert.equal(revoked.status, 204, revoked.text)
  await until('all processes refuse it', async () =>
    (await statuses()).every((status) => status === 401),
  )
}

const isLinux = process.platform === 'linux'

test('killed under load, a process that answers the API is replaced, and nothing acknowledged is lost', {
  skip: isLinux ? false : 'the processes are found by /proc',
}, async (t) => {
  const dataDir = await preparedDataDir(t)
  const environment = { MOORING_DATA_DIR: dataDir, MOORING_PROCESSES: String(PROCESSES) }
  const service = await startService(t, dataDir, { environment })
  const owner = { headers: await signIn(service, printedOwner(service)) }
  const { body } = await service.call('GET', '/workspaces', owner)
  const path = `/workspaces/${body.items[0].id}`
  const created = await service.call('POST', `${path}/api-keys`, {
    ...owner,
    body: { key_kind: 'provision' },
  })
  const { key, id: keyId } = created.body
  const template = { model_key: 'sensor', name: 'Sensor', serial_format: 'S-%#f' }
  const { id } = (
    await service.call('POST', `${path}/device-templates`, { ...owner, body: template })
  ).body
  assert.equal(workersOf(service).length, PROCESSES - 1)

  const made: Made[] = []
  let isOver = false
  const load = { key, template: id as string, isOver: () => isOver }
  const clients = Array.from({ length: CLIENTS }, () => register(service, load, made))
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await until('devices are registered', () => made.length >= kill * 30)
    const [victim = 0] = workersOf(service)
    process.kill(victim, 'SIGKILL')
    await until('it is replaced', () => {
      const present = workersOf(service)
      return present.length === PROCESSES - 1 && !present.includes(victim)
    })
  }
  isOver = true
  await Promise.all(clients)

  await assertKept(service, path, owner, made)
  const { device } = made.at(-1) as Made
  const { code, client } = await tryConnect(t, { ...device, mqtt_port: service.mqtt.port })
  assert.equal(code, 0, 'what one process registered, the broker of the other admits')
  client.end(true)

  const checked = async () => (await service.call('GET', `${path}/audit-log/verify`, owner)).body
  await until('all entries are chained', async () => (await checked()).unsealed === 0)
  assert.equal((await checked()).valid, true)

  await assertRevocable(service, `${path}/api-keys/${keyId}`, owner, key)
  assert.equal((await service.stop()).code, 0)
})
