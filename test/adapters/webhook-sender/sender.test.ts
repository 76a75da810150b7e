/**
 * Sending a webhook: signed so that anybody can verify it, and safe from anyone who receives it.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createDnsResolver } from '../../../src/adapters/dns/resolver.ts'
import {
  isDelivered,
  keepingAgent,
  sendWebhook,
} from '../../../src/adapters/webhook-sender/sender.ts'
import {
  generateWebhookSecret,
  signedHeaders,
  formatSecret,
} from '../../../src/adapters/webhook-sender/signature.ts'
import { resolveTarget } from '../../../src/adapters/webhook-sender/target.ts'
import { startNameServer } from './name-server.ts'

const NAME = 'hooks.example.com'

/** The host of the receiver: a name that stands for loopback, which is allowed. */
async function targetOf(t: TestContext, server: Server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const { address } = await startNameServer(t, () => ['127.0.0.1'])
  const rules = { allowedHosts: [NAME], dns: createDnsResolver({ servers: [address] }) }
  return resolveTarget(new URL(`http://${NAME}:${port}/in?a=b`), rules)
}

function startReceiver(t: TestContext, handler: RequestListener) {
  const server = createServer(handler)
  t.after(() => server.closeAllConnections())
  return targetOf(t, server)
}

function startRaw(t: TestContext, handler: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createTcp((socket) => {
    sockets.add(socket.on('error', () => {}))
    handler(socket)
  })
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  return targetOf(t, server)
}

/** As the specification words it, and not as we do. */
function verify(secret: string, headers: Record<string, unknown>, body: string): number {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.')
  const expected = createHmac('sha256', key).update(signed, 'utf8').digest('base64')
  return String(headers['webhook-signature'])
    .split(' ')
    .findIndex((each) => each === `v1,${expected}`)
}

/** For receivers that response. */
const longTimeout = { timeoutMs: 15_000 }

test('the published example of the specification is signed as it says', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
  const headers = signedHeaders(
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1_614_265_330_999,
    '{"test": 2432232314}',
    [secret],
  )
  assert.equal(headers['webhook-timestamp'], '1614265330')
  assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('a receiver gets body and headers as they were signed, by the old secret too', async (t) => {
  const got: { method: string; url: string; host: string; body: string; places: number[] }[] = []
  const [current, previous] = [generateWebhookSecret(), generateWebhookSecret()]
  const target = await startReceiver(t, (request, response) => {
    void request.toArray().then((chunks) => {
      const received = Buffer.concat(chunks).toString()
      const places = [current, previous, generateWebhookSecret()].map((secret) =>
        verify(formatSecret(secret), request.headers, received),
      )
      const { method = '', url = '', headers } = request
      got.push({ method, url, host: headers.host ?? '', body: received, places })
      response.writeHead(202).end('taken')
    })
  })
  const body = JSON.stringify({ type: 'device.registered', name: 'Zürich ✓' })
  const result = await sendWebhook(
    target,
    signedHeaders('evt_x', Date.now(), body, [current, previous]),
    body,
    longTimeout,
  )
  assert.deepEqual([result.status, result.body, isDelivered(result)], [202, 'taken', true])
  const host = `${NAME}:${target.url.port}`
  assert.deepEqual(got, [{ method: 'POST', url: '/in?a=b', host, body, places: [0, 1, -1] }])
})

test('a redirect is a failure, and is not followed', async (t) => {
  for (const status of [301, 302, 303, 307, 308]) {
    let requests = 0
    const target = await startReceiver(t, (_request, response) => {
      requests += 1
      response.writeHead(status, { location: '/elsewhere' }).end()
    })
    const result = await sendWebhook(target, {}, '{}', longTimeout)
    assert.deepEqual([result.status, isDelivered(result), requests], [status, false, 1])
  }
})

test('a refusal returns the time of the next attempt', async (t) => {
  const target = await startReceiver(t, (_request, response) => {
    response.writeHead(429, { 'retry-after': '120' }).end('later')
  })
  const { status, retryAfter, body } = await sendWebhook(target, {}, '{}', longTimeout)
  assert.deepEqual([status, retryAfter, body], [429, 120, 'later'])
})

test('only the beginning of an endless response is read', async (t) => {
  const target = await startRaw(t, (socket) => {
    socket.write('HTTP/1.1 500 No\r\n\r\n')
    const more = (): void => {
      if (!socket.destroyed) socket.write('x'.repeat(10_000), more)
    }
    more()
  })
  const result = await sendWebhook(target, {}, '{}', longTimeout)
  assert.deepEqual([result.status, result.body.length], [500, 1_024])
})

test('a receiver that never responds, or never ends its response, is abandoned in time', async (t) => {
  const silent = await startRaw(t, () => {})
  assert.equal((await sendWebhook(silent, {}, '{}', { timeoutMs: 50 })).failure, 'slow')
  const dripping = await startRaw(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ')
  })
  assert.equal((await sendWebhook(dripping, {}, '{}', { timeoutMs: 50 })).failure, 'slow')
  const unending = await startRaw(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx')
  })
  assert.ok(isDelivered(await sendWebhook(unending, {}, '{}', { timeoutMs: 2_000 })))
})

test('a missing response and an invalid one are distinguished', async (t) => {
  const garbage = await startRaw(t, (socket) => void socket.write('SSH-2.0-OpenSSH_9.9\r\n'))
  assert.equal((await sendWebhook(garbage, {}, '{}', longTimeout)).failure, 'malformed')
  const many = await startRaw(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}\r\n`)
  })
  assert.equal((await sendWebhook(many, {}, '{}', longTimeout)).failure, 'malformed')
  const closing = await startRaw(t, (socket) => socket.end())
  assert.equal((await sendWebhook(closing, {}, '{}', longTimeout)).failure, 'unreachable')
  const plain = await startReceiver(t, (_request, response) => void response.end())
  const url = new URL(plain.url.href.replace('http:', 'https:'))
  assert.equal((await sendWebhook({ ...plain, url }, {}, '{}', longTimeout)).failure, 'tls')
})

test('a connection is reused, and one that was closed meanwhile fails no request', async (t) => {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    sockets.add(request.socket)
    response.end('taken')
  })
  // Closes what idles without saying so, as a firewall does.
  server.keepAliveTimeout = 0
  const target = await targetOf(t, server)
  const agent = keepingAgent(target)
  t.after(() => agent.destroy())
  for (let n = 0; n < 3; n += 1) await sendWebhook(target, {}, '{}', { ...longTimeout, agent })
  assert.equal(sockets.size, 1)
  const sent = sendWebhook(target, {}, '{}', { ...longTimeout, agent })
  for (const socket of sockets) socket.resetAndDestroy()
  assert.ok(isDelivered(await sent))
  assert.equal(sockets.size, 2)
})
