/**
 * `mooring doctor` as people run it: alongside a service, on its own broker, and on none at all.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ownDatabase, runMooring, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

interface Received {
  broker: string
  url: string
  holes: number
  results: { id: string; verdict: string; saw: string }[]
}

describe('mooring doctor', () => {
  test('finds no hole in the embedded broker', async (t) => {
    const environment = await ownDatabase(t)
    const service = await startService(t, environment.MOORING_DATA_DIR, { environment })
    const doctor = (...args: string[]) =>
      runMooring(t, ['doctor', '--api', service.origin, ...args], { environment })
    // It measures in seconds, which a busy machine distorts: a hole is there each time.
    const withRetries = async (...args: string[]) => {
      let ended = await doctor(...args)
      for (let again = 0; ended.code !== 0 && again < 3; again += 1) ended = await doctor(...args)
      return ended
    }
    const [plain, json] = await Promise.all([withRetries(), withRetries('--json')])
    assert.equal(plain.code, 0, plain.stdout + plain.stderr)
    assert.match(plain.stdout, /^pass {2}A suspended device is disconnected, and stays refused$/m)
    assert.equal(json.code, 0, json.stderr)
    const received = JSON.parse(json.stdout) as Received
    assert.deepEqual([received.broker, received.holes], ['embedded', 0])
    const odd = received.results.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
    assert.deepEqual(odd, [])
    assert.ok(received.results.length >= 12)
    const away = await doctor('--url', 'mqtt://127.0.0.1:1')
    assert.equal(away.code, 1)
    assert.match(
      away.stderr,
      /^mooring: embedded cannot be reached at mqtt:\/\/127\.0\.0\.1:1: .+$/m,
    )
    const unknown = await doctor('emqx-eu')
    assert.equal(unknown.code, 1)
    assert.match(unknown.stderr, /There is no broker emqx-eu; known are: embedded\./)
    const wrong = await doctor('--url', 'http://127.0.0.1')
    assert.match(wrong.stderr, /--url must be a URL that begins with mqtt:/)
    await service.stop()
    const deaf = await doctor()
    assert.match(deaf.stderr, /The service does not respond at http/)
    const outsider = createServer((_, response) => void response.writeHead(401).end('{}'))
    t.after(() => outsider.close())
    await once(outsider.listen(0, '127.0.0.1'), 'listening')
    const { port } = outsider.address() as AddressInfo
    const other = await doctor('--api', `http://127.0.0.1:${port}`)
    assert.match(other.stderr, /^mooring: The service at http\S+ does not know .* another database/)
  })

  test('distinguishes the embedded broker from the advertised endpoint, and finds a dead bridge', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'mooring-doctor-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'brokers.json')
    const fleet = {
      name: 'fleet',
      kind: 'mosquitto-go-auth',
      hook_secrets: ['a-secret-of-the-hooks-0123456789abcdef'],
      mqtt: { url: 'mqtt://127.0.0.1:1', username: 'mooring', password: 'a very long password' },
      endpoints: [{ protocol: 'mqtt', host: '127.0.0.1', port: 1, default: true }],
    }
    writeFileSync(file, JSON.stringify({ brokers: [fleet] }), { mode: 0o600 })
    const environment = { ...(await ownDatabase(t)), MOORING_BROKERS_FILE: file }
    const service = await startService(t, environment.MOORING_DATA_DIR, { environment })
    const doctor = async (...args: string[]) => {
      const all = ['doctor', '--api', service.origin, '--json', ...args]
      const { stdout, stderr } = await runMooring(t, all, { environment })
      assert.notEqual(stdout, '', stderr)
      return JSON.parse(stdout) as Received
    }
    const outcomeOf = ({ results }: Received, id: string) => {
      const found = results.find((result) => result.id === id)
      return [found?.verdict, found?.saw]
    }
    const operator = /^ {2}Operator +(http\S+)\/readyz/m.exec(service.output.stdout)?.[1]
    const fetched = async (path: string) => (await fetch(`${operator}${path}`)).text()
    await until('readyz tells why the bridge is not connected', async () =>
      /"fleet":"a bridge is not connected: nothing listens there"/.test(await fetched('/readyz')),
    )
    assert.match(await fetched('/metrics'), /^mooring_bridge_connected\{broker="fleet"\} 0$/m)

    const embedded = await doctor()
    assert.notEqual(new URL(embedded.url).port, '1')
    const lost = await doctor('fleet', '--url', embedded.url)
    assert.equal(outcomeOf(embedded, 'identity')[0], 'pass')
    const [verdict, saw] = outcomeOf(lost, 'hook_failure')
    assert.equal(verdict, 'fail')
    assert.match(String(saw), /did not call its hook/)
    assert.deepEqual(outcomeOf(lost, 'bridge'), [
      'fail',
      'a bridge is not connected: nothing listens there',
    ])
  })
})
