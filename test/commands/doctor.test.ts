/** `mooring doctor` as people run it: beside a service, on its own broker, and on none at all. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { preparedDataDir, runMooring, startService } from '../support/service.ts'

interface Told {
  broker: string
  url: string
  holes: number
  results: { id: string; verdict: string; saw: string }[]
}

describe('mooring doctor', () => {
  test('finds no hole in the embedded broker', async (t) => {
    const dataDir = await preparedDataDir(t)
    const service = await startService(t, dataDir)
    const environment = { MOORING_DATA_DIR: dataDir }
    const doctor = (...args: string[]) =>
      runMooring(t, ['doctor', '--api', service.origin, ...args], { environment })
    // It judges by seconds, which a busy machine may take for anything: a hole is there each time.
    const patiently = async (...args: string[]) => {
      let ended = await doctor(...args)
      for (let again = 0; ended.code !== 0 && again < 3; again += 1) ended = await doctor(...args)
      return ended
    }
    const [plain, json] = await Promise.all([patiently(), patiently('--json')])
    assert.equal(plain.code, 0, plain.stdout + plain.stderr)
    assert.match(plain.stdout, /^pass {2}A suspended device is cut, and stays out$/m)
    assert.equal(json.code, 0, json.stderr)
    const told = JSON.parse(json.stdout) as Told
    assert.deepEqual([told.broker, told.holes], ['embedded', 0])
    const odd = told.results.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
    assert.deepEqual(odd, [])
    assert.ok(told.results.length >= 12)
    const away = await doctor('--url', 'mqtt://127.0.0.1:1')
    assert.equal(away.code, 1)
    assert.match(
      away.stderr,
      /^mooring: embedded can not be reached at mqtt:\/\/127\.0\.0\.1:1: .+$/m,
    )
    const unknown = await doctor('emqx-eu')
    assert.equal(unknown.code, 1)
    assert.match(unknown.stderr, /There is no broker emqx-eu; known are: embedded\./)
    const wrong = await doctor('--url', 'http://127.0.0.1')
    assert.match(wrong.stderr, /--url must be a URL that begins with mqtt:/)
    await service.stop()
    const deaf = await doctor()
    assert.match(deaf.stderr, /The service does not answer at http/)
    const stranger = createServer((_, response) => void response.writeHead(401).end('{}'))
    t.after(() => stranger.close())
    await once(stranger.listen(0, '127.0.0.1'), 'listening')
    const { port } = stranger.address() as AddressInfo
    const other = await doctor('--api', `http://127.0.0.1:${port}`)
    assert.match(other.stderr, /^mooring: The service at http\S+ does not know .* another database/)
  })
})
