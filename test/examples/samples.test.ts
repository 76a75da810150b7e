/**
 * The sample devices in several languages, each through the life of a device: lost responses, a
 * broker that is away, commands, configurations, rotations and a loss of power.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import type { Program } from '../adapters/broker/start-program.ts'
import { type Fate, startFront } from '../sdk/front.ts'
import { as, type TestApp } from '../support/app.ts'
import { defer } from '../support/cleanup.ts'
import { tryConnect } from '../support/mqtt.ts'
import { useApp } from '../support/suite-app.ts'
import { until } from '../support/until.ts'
import {
  checkPlatform,
  checkSyntax,
  type Factory,
  type Sample,
  samples,
  SKIPPED,
} from './programs.ts'

interface Credentials {
  device_id: string
  mqtt_password: string
  mqtt_port: number
  device_http_token: string
}

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-sample-'))
  defer(t, () => rmSync(folder, { recursive: true }))
  return folder
}

/** Listens for the broker, and drops the first connections. */
async function startFlakyBroker(t: TestContext, port: number, drops: number) {
  let count = 0
  const server = createServer((client) => {
    count += 1
    client.on('error', () => {})
    if (count <= drops) {
      client.destroy()
      return
    }
    const upstream = connect(port, '127.0.0.1')
    upstream.on('error', () => client.destroy())
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  defer(t, () => server.close())
  return { port: (server.address() as AddressInfo).port, count: () => count }
}

/** A sample in its folder, and how its owner looks at it. */
class Bench {
  readonly app: TestApp
  readonly sample: Sample
  readonly folder: string
  readonly factory: Factory
  program: Program | undefined

  constructor(t: TestContext, app: TestApp, sample: Sample, factory: Factory) {
    this.app = app
    this.sample = sample
    this.folder = makeFolder(t)
    this.factory = factory
    defer(t, () => this.program?.stop('SIGKILL'))
  }

  file = (name: string): string => join(this.folder, name)

  get next(): string {
    // The example in Node names its files after that of the credentials.
    return this.file(this.sample.registersItself ? 'next.json' : 'device.json.next')
  }

  read = (): Credentials => JSON.parse(readFileSync(this.file('device.json'), 'utf8'))

  write(path: string, change: Partial<Credentials>): void {
    writeFileSync(path, JSON.stringify({ ...this.read(), ...change }))
  }

  async starts(): Promise<void> {
    this.program = this.sample.start(this.folder, this.factory)
    await this.prints(/^connected/m)
  }

  /** Waits for what the program prints. */
  async prints(pattern: RegExp, from = 0): Promise<void> {
    const { program } = this
    await until(`${String(pattern)} of a sample`, () => {
      const output = program?.output().slice(from) ?? ''
      assert.equal(program?.child.exitCode, null, output)
      return pattern.test(output)
    })
  }

  call = (method: string, path: string, body?: object) =>
    this.app.call(
      method,
      `/workspaces/${this.app.seed.id}/devices/${this.read().device_id}${path}`,
      {
        as: as.platformKey(this.app.seed.platformKey),
        ...(body && { body }),
      },
    )

  async reports(on: boolean): Promise<void> {
    await until(`the state ${on}`, async () => {
      const { status, body } = await this.call('GET', '/state')
      return status === 200 && body.state.on === on
    })
  }

  /** Sends a command and waits for its end. */
  async commands(name: string, payload: object) {
    const { body } = await this.call('POST', '/commands', { name, payload, timeout_s: 120 })
    return until(`the end of ${name}`, async () => {
      const { body: command } = await this.call('GET', `/commands/${body.id}?wait=30`)
      return ['pending', 'sent'].includes(command.status) ? undefined : command
    })
  }
}

async function handOver(bench: Bench): Promise<void> {
  const { provisionKey, templateId, hardwareId } = bench.factory
  const { body } = await bench.app.call('POST', '/provision/device', {
    as: as.factory(provisionKey),
    body: { template_id: templateId, hardware_id: hardwareId },
  })
  writeFileSync(bench.file('device.json'), JSON.stringify(body))
}

async function startBench(t: TestContext, app: TestApp, name: string) {
  const sample = samples[name] as Sample
  // The first response of each kind gets lost, of the registration and of the rotation, between
  // which it asks once whether to rotate.
  const registration: Fate[] = sample.registersItself ? ['lose', 'pass'] : []
  const fates: Fate[] = [...registration, 'pass', 'lose']
  const { url, seen } = await startFront(t, app.origin, fates)
  const { provisionKey, template } = app.seed
  const factory = { url, provisionKey, templateId: template.id, hardwareId: `board-${name}` }
  const bench = new Bench(t, app, sample, factory)
  await sample.build?.(bench.folder)
  if (!sample.registersItself) await handOver(bench)
  const calls = (path: string): number => seen.filter(({ url }) => url.endsWith(path)).length
  return { bench, calls }
}

async function appliesConfig(bench: Bench): Promise<void> {
  // So long that it comes in several chunks.
  const config = { report_s: 1, note: Array.from({ length: 900 }, (_, index) => index).join(' ') }
  const { status } = await bench.call('PUT', '/config', { config })
  assert.equal(status, 200)
  await until('the configuration is applied', async () => {
    const { body } = await bench.call('GET', '/config')
    return body.reported?.status === 'applied' && body.reported.is_present
  })
}

async function executes(bench: Bench): Promise<void> {
  await bench.reports(false)
  const set = await bench.commands('set', { on: true })
  assert.equal(set.status, 'acknowledged', bench.program?.output())
  await bench.reports(true)
  const refused = await bench.commands('fly', {})
  assert.deepEqual([refused.status, refused.error], ['failed', 'unknown command'])
}

async function rotates(t: TestContext, bench: Bench, calls: (path: string) => number) {
  const before = bench.read()
  const printed = bench.program?.output().length ?? 0
  assert.equal((await bench.commands('rotate_credentials', {})).status, 'acknowledged')
  await bench.prints(/^connected/m, printed)
  await until('it keeps its new credentials only', () => !existsSync(bench.next))
  assert.notEqual(bench.read().mqtt_password, before.mqtt_password)
  assert.equal(calls('/credentials/rotate'), 2, 'once more after the lost response')
  assert.equal((await tryConnect(t, before)).code, 4, 'the old password has ended')
  const token = as.device(before.device_http_token)
  const { status } = await bench.app.call('GET', '/devices/auth/me', { as: token })
  assert.equal(status, 401, 'the old token has ended: the new one is confirmed')
}

async function survivesLossOfPower(t: TestContext, bench: Bench): Promise<void> {
  await bench.program?.stop('SIGKILL')
  const { mqtt_password, mqtt_port } = bench.read()
  const broker = await startFlakyBroker(t, mqtt_port, 2)
  // Credentials that were never used and have expired; the broker is away at first.
  bench.write(bench.next, { mqtt_password: `${mqtt_password}x`, mqtt_port: broker.port })
  bench.write(bench.file('device.json'), { mqtt_port: broker.port })
  await bench.starts()
  assert.equal(bench.read().mqtt_password, mqtt_password)
  assert.equal(existsSync(bench.next), false)
  assert.equal(broker.count(), 4, 'two without a response, a refused one, and one that is accepted')
  await bench.reports(false)
}

describe('sample devices', { skip: SKIPPED, concurrency: true }, () => {
  const getApp = useApp()

  for (const name of Object.keys(samples)) {
    test(`${name} lives through what happens to devices`, async (t) => {
      const app = getApp()
      const { bench, calls } = await startBench(t, app, name)
      await bench.starts()
      if (bench.sample.registersItself) {
        assert.equal(calls('/provision/device'), 2, 'once more after the lost response')
      }
      const { rows } = await app.database.pool.query(
        'SELECT id FROM devices WHERE workspace_id = $1 AND hardware_id = $2',
        [app.seed.uuid, bench.factory.hardwareId],
      )
      assert.equal(rows.length, 1)
      await executes(bench)
      await appliesConfig(bench)
      await rotates(t, bench, calls)
      await survivesLossOfPower(t, bench)
    })
  }

  for (const macro of ['ESP_PLATFORM', '__ZEPHYR__']) {
    test(`the device in C compiles with ${macro}`, () => checkPlatform(macro))
  }

  test('the Arduino sketch compiles against the declarations of its libraries', async () => {
    await checkSyntax('g++', 'arduino', 'examples/firmware/arduino/device/device.ino')
  })
})
