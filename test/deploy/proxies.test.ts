/**
 * The examples of nginx and HAProxy, run by the programs themselves: requests, event streams, MQTT
 * over WebSocket and over TLS, and the address that the service sees. Runs where
 * `MOORING_TEST_PROXIES` is set and the programs are installed.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect as connectTls } from 'node:tls'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connectAsync } from 'mqtt'
import { as } from '../support/app.ts'
import { makeAuthority } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { tlsEnvironment } from '../support/https.ts'
import { useApp } from '../support/suite-app.ts'
import { ROOT } from '../support/sources.ts'
import { until } from '../support/until.ts'

const skip = process.env.MOORING_TEST_PROXIES === undefined

/** Not the proxy's own address, which the service would see if it trusted nothing. */
const CLIENT = '127.0.0.9'

interface Proxy {
  name: string
  file: string
  /** The command line. @param file the adapted configuration in its own folder */
  command: (file: string, folder: string) => string[]
}

const proxies: readonly Proxy[] = [
  {
    name: 'nginx',
    file: 'nginx.conf',
    command: (file, folder) => [
      '/usr/sbin/nginx',
      '-c',
      file,
      '-e',
      'stderr',
      '-g',
      `daemon off; pid ${folder}/nginx.pid; user root;`,
    ],
  },
  {
    name: 'HAProxy',
    file: 'haproxy.cfg',
    command: (file) => ['/usr/sbin/haproxy', '-db', '-f', file],
  },
]

interface Ports {
  https: number
  mqtts: number
  passed: number
}

for (const { name, file, command } of proxies) {
  describe(`the example of ${name}`, { skip }, () => {
    const own = makeAuthority()
    const service = tlsEnvironment()
    const app = useApp({
      environment: { MOORING_TRUSTED_PROXIES: '127.0.0.1', MOORING_MQTT_WS_PORT: '0' },
    })
    const tlsApp = useApp({ environment: { ...service.environment, MOORING_MQTT_TLS_PORT: '0' } })
    let folder: string
    let child: ChildProcess
    let ports: Ports

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mooring-proxy-'))
      await chmod(folder, 0o755)
      const { cert, key } = own.issue('mooring.example.com')
      await writeFile(join(folder, 'fullchain.pem'), cert)
      await writeFile(join(folder, 'privkey.pem'), key)
      await writeFile(join(folder, 'both.pem'), `${cert}${key}`)
      ports = { https: await freePort(), mqtts: await freePort(), passed: await freePort() }
      const { http, operator, mqtt, ws } = app().app.ports
      const { tls } = tlsApp().app.mqttPorts
      const text = (await readFile(join(ROOT, 'deploy/proxies', file), 'utf8'))
        .replaceAll('/etc/ssl/mooring', folder)
        // More files than a test may open.
        .replaceAll(/^(?:  maxconn|worker_rlimit_nofile) .*$/gm, '')
        .replaceAll(/(?<=listen |bind :)443\b/g, String(ports.https))
        .replaceAll(/(?<=listen |bind :)8883\b/g, String(ports.mqtts))
        .replaceAll(/(?<=listen |bind :)8884\b/g, String(ports.passed))
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${http}`)
        .replaceAll('port 8081', `port ${operator}`)
        .replaceAll('127.0.0.1:9001', `127.0.0.1:${ws}`)
        .replaceAll('127.0.0.1:1883', `127.0.0.1:${mqtt}`)
        .replaceAll('127.0.0.1:8883', `127.0.0.1:${tls}`)
      const adapted = join(folder, file)
      await writeFile(adapted, text)
      const [program = '', ...options] = command(adapted, folder)
      child = spawn(program, options, { stdio: ['ignore', 'ignore', 'inherit'] })
      await until('the proxy answers', async () => {
        assert.equal(child.exitCode, null)
        return (await get('/api/v1/nothing').catch(() => undefined))?.statusCode === 404
      })
    })
    after(async () => {
      if (child.exitCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        await ended
      }
      await rm(folder, { recursive: true, force: true })
    })

    /** Connects from an address of its own. */
    function get(path: string, headers: Record<string, string> = {}, method = 'GET', body = '') {
      return new Promise<IncomingMessage>((resolve, reject) => {
        const sent = request({
          host: '127.0.0.1',
          port: ports.https,
          localAddress: CLIENT,
          servername: 'mooring.example.com',
          ca: own.cert,
          path,
          method,
          headers: { host: 'mooring.example.com', ...headers },
          agent: false,
        })
        sent.on('response', resolve).on('error', reject).end(body)
      })
    }

    const credential = (): Record<string, string> => as.platformKey(app().seed.platformKey)
    const newGroup = (named: string, headers = {}) =>
      get(
        `/api/v1/workspaces/${app().seed.id}/device-groups`,
        { ...credential(), 'content-type': 'application/json', ...headers },
        'POST',
        JSON.stringify({ name: named }),
      )

    test('the service sees the client, whatever that claims to be', async () => {
      const made = await newGroup('By proxy', { 'x-forwarded-for': '203.0.113.7' })
      assert.equal(made.statusCode, 201)
      made.resume()
      const { rows } = await app().database.pool.query(
        `SELECT address FROM audit_log WHERE workspace_id = $1 AND action = 'device_group.created'`,
        [app().seed.uuid],
      )
      assert.deepEqual(rows, [{ address: CLIENT }])
      // The protocol is that of the client.
      assert.match(made.headers['strict-transport-security'] ?? '', /max-age/)
    })

    test('a long poll and an event stream get what happens when it happens', async () => {
      const events = `/api/v1/workspaces/${app().seed.id}/events`
      const stream = await get(events, { ...credential(), accept: 'text/event-stream' })
      assert.equal(stream.statusCode, 200)
      let text = ''
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
      ;(await newGroup(`Streamed ${name}`)).resume()
      await until('the event', () => text.includes('device_group.created'))
      stream.destroy()
      const begun = performance.now()
      const poll = await get(`${events}?wait=2&limit=1&types=invoice.created`, credential())
      assert.equal(poll.statusCode, 200)
      assert.ok(performance.now() - begun >= 1_900)
      poll.resume()
    })

    const refused = { username: 'dev_nobody', password: 'wrong', reconnectPeriod: 0 }
    const tls = { servername: 'mooring.example.com', ca: own.cert }

    test('MQTT passes over WebSocket and over TLS that ends at the proxy', async () => {
      for (const url of [
        `wss://127.0.0.1:${ports.https}/mqtt`,
        `mqtts://127.0.0.1:${ports.mqtts}`,
      ]) {
        const headers = { host: 'mooring.example.com' }
        const wsOptions = { ...tls, headers }
        // The refusal is a packet of the service.
        await assert.rejects(connectAsync(url, { ...refused, ...tls, wsOptions }), {
          message: /Not authorized|Bad username or password/i,
        })
      }
    })

    test('TLS that is passed through ends in the service', async () => {
      const socket = connectTls({ host: '127.0.0.1', port: ports.passed, ca: service.ca })
      await once(socket, 'secureConnect')
      const { subject } = socket.getPeerCertificate()
      assert.ok(socket.authorized, String(socket.authorizationError))
      assert.ok(subject)
      socket.destroy()
      const url = `mqtts://127.0.0.1:${ports.passed}`
      await assert.rejects(connectAsync(url, { ...refused, ca: service.ca }), {
        message: /Not authorized|Bad username or password/i,
      })
    })
  })
}
