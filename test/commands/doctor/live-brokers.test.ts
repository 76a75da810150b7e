/**
 * The doctor alongside a running service: a RabbitMQ that obeys it has no hole, and a Mosquitto
 * that asks nobody has those that are to be expected.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test, type TestContext } from 'node:test'
import { defer } from '../../support/cleanup.ts'
import { preparedDataDir, runMooring, type Service, startService } from '../../support/service.ts'
import { freePorts } from '../../adapters/broker/free-ports.ts'
import { MOSQUITTO } from '../../adapters/broker/start-mosquitto.ts'
import { lacking, listens, startProgram } from '../../adapters/broker/start-program.ts'
import {
  rabbitmqServer,
  type StartedRabbitmq,
  startRabbitmq,
} from '../../adapters/broker/start-rabbitmq.ts'

const RABBITMQ = 'rabbit'
const CARELESS = 'careless'

interface Received {
  results: { id: string; verdict: string; saw: string; change?: string }[]
}

const skip = lacking(rabbitmqServer(), MOSQUITTO)

suite('an examination of live brokers', { skip }, () => {
  const closers: (() => unknown)[] = []
  const scope = { after: (close: unknown) => void closers.push(close as () => unknown) }
  let service: Service
  let rabbitmq: StartedRabbitmq
  let environment: Record<string, string>

  before(async () => {
    const [operator = 0] = await freePorts(1)
    const secret = randomBytes(24).toString('base64url')
    const at = `http://any:${secret}@127.0.0.1:${operator}/hooks/${RABBITMQ}/rabbitmq`
    const [user, vhost, resource, topic] = ['user', 'vhost', 'resource', 'topic'].map(
      (name) => `${at}/${name}`,
    ) as [string, string, string, string]
    rabbitmq = await startRabbitmq({ user, vhost, resource, topic })
    defer(scope, () => rabbitmq.stop())
    const folder = mkdtempSync(join(tmpdir(), 'mooring-doctor-'))
    defer(scope, () => rmSync(folder, { recursive: true }))
    const file = join(folder, 'brokers.json')
    const { url, username, password } = rabbitmq
    const brokers = [
      {
        name: RABBITMQ,
        kind: 'rabbitmq',
        hook_secrets: [secret],
        admin: { url: url.replace(/\/api$/, ''), username, password },
        endpoints: [{ protocol: 'mqtt', host: '127.0.0.1', port: rabbitmq.port }],
      },
      { name: CARELESS, kind: 'mosquitto-go-auth', hook_secrets: [`${secret}-unused`] },
    ]
    writeFileSync(file, JSON.stringify({ brokers }), { mode: 0o600 })
    const dataDir = await preparedDataDir(scope)
    environment = {
      MOORING_DATA_DIR: dataDir,
      MOORING_OPERATOR_PORT: String(operator),
      MOORING_BROKERS_FILE: file,
    }
    service = await startService(scope, dataDir, { environment })
  })
  after(async () => {
    for (const close of closers.toReversed()) await close()
  })

  async function outcomes(t: TestContext, ...args: string[]): Promise<[string, string][]> {
    const all = ['doctor', '--api', service.origin, '--json', ...args]
    const { stdout, stderr } = await runMooring(t, all, { environment })
    assert.notEqual(stdout, '', stderr)
    const { results } = JSON.parse(stdout) as Received
    for (const { id, verdict, change } of results) {
      if (verdict === 'fail') assert.ok(change !== undefined, id)
    }
    t.diagnostic(results.map(({ id, verdict, saw }) => `${id} ${verdict}: ${saw}`).join('\n'))
    return results.map(({ id, verdict }) => [id, verdict])
  }

  test('a RabbitMQ that asks the hooks alone has no hole', async (t) => {
    const found = await outcomes(t, RABBITMQ)
    assert.deepEqual(
      found.filter(([, verdict]) => verdict === 'fail'),
      [],
    )
    const passed = found.flatMap(([id, verdict]) => (verdict === 'pass' ? [id] : []))
    for (const id of ['good_login', 'anonymous', 'hook_failure', 'foreign_publish', 'revoke']) {
      assert.ok(passed.includes(id), id)
    }
  })

  test('a Mosquitto without authentication has every fault', async (t) => {
    const [port = 0] = await freePorts(1)
    const folder = mkdtempSync(join(tmpdir(), 'mooring-careless-'))
    const file = join(folder, 'mosquitto.conf')
    writeFileSync(file, `listener ${port} 127.0.0.1\nallow_anonymous true\nsys_interval 1\n`)
    const mosquitto = startProgram(MOSQUITTO, ['-c', file])
    defer(t, async () => {
      await mosquitto.stop()
      rmSync(folder, { recursive: true })
    })
    await listens(port, mosquitto)
    const found = await outcomes(t, CARELESS, '--url', `mqtt://127.0.0.1:${port}`)
    const failed = found.flatMap(([id, verdict]) => (verdict === 'fail' ? [id] : []))
    assert.deepEqual(failed, [
      'anonymous',
      'wrong_password',
      'client_id',
      'hook_failure',
      'foreign_topics',
      'wildcards',
      'system_topics',
      'foreign_publish',
      'foreign_will',
      'revoke',
    ])
  })
})
