/** Streams that are open when their caller loses the right to them, or sends nonsense. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { streamOperation } from '../../../src/context.ts'
import { destroyStalled } from '../../../src/platform/http/connections.ts'
import { as, type TestApp } from '../../support/app.ts'
import { defer } from '../../support/cleanup.ts'
import { secondServer } from '../../support/second-server.ts'
import { seedUser } from '../../support/seed.ts'
import { useTenants } from '../../support/suite-app.ts'
import { until } from '../../support/until.ts'

/** Yields until nobody listens, or until the test has seen enough. */
const seen = { isEnough: false }
async function* endless() {
  for (let n = 0; !seen.isEnough; n += 1) {
    yield [{ n }]
    await sleep(20)
  }
}

const operation = streamOperation({
  id: 'streamWorkspace',
  route: 'GET /workspaces/:id/rows',
  tag: 'Rows',
  summary: 'Stream rows',
  access: ['user', 'platform-key'],
  permission: 'devices.read',
  stream: { formats: ['ndjson'], filename: 'rows' },
  row: Type.Object({ n: Type.Integer() }),
  fails: [],
  run: endless,
})

describe('an open stream', () => {
  const fresh = useTenants()

  /** Begins the stream; resolves with how it ends, once its first bytes are there. */
  async function begin(
    t: Parameters<typeof fresh>[0],
    app: TestApp,
    credential: Record<string, string>,
  ): Promise<() => Promise<'ended' | 'cut'>> {
    seen.isEnough = false
    const server = secondServer(app, [operation])
    await server.listen({ host: '127.0.0.1', port: 0 })
    defer(t, () => server.close())
    const { port } = server.server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/api/v1/workspaces/${app.seed.id}/rows`
    const response = await fetch(url, { headers: credential })
    assert.equal(response.status, 200)
    const reader = (response.body as ReadableStream).getReader()
    await reader.read()
    return async () => {
      try {
        while (!(await reader.read()).done);
        return 'ended'
      } catch {
        return 'cut'
      }
    }
  }

  test('is closed when its member is removed, and when its key is revoked', async (t) => {
    const app = await fresh(t)
    const { owner, id } = app.seed
    const viewer = await seedUser(app.app, { [app.seed.uuid]: 'viewer' })
    const ofMember = await begin(t, app, as.user(viewer.token))
    const removed = await app.call('DELETE', `/workspaces/${id}/members/${viewer.id}`, {
      as: as.user(owner.token),
    })
    assert.equal(removed.status, 200)
    assert.equal(await ofMember(), 'cut')
    const made = await app.call('POST', `/workspaces/${id}/api-keys`, {
      as: as.user(owner.token),
      body: { key_kind: 'platform' },
    })
    const ofKey = await begin(t, app, as.platformKey(made.body.key))
    const path = `/workspaces/${id}/api-keys/${made.body.id}`
    assert.equal((await app.call('DELETE', path, { as: as.user(owner.token) })).status, 204)
    assert.equal(await ofKey(), 'cut')
  })

  /** Begins streams with tokens that have expired soon, and waits until they have. */
  async function outlive(t: Parameters<typeof fresh>[0], app: TestApp, users: { token: string }[]) {
    const tokens = users.map(({ token }) => {
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
        sub: string
        sid: string
      }
      // In the last moment of a second, a lifetime of one would be over before the stream began.
      return app.services.consoleTokens.sign({ sub: claims.sub, sid: claims.sid }, 5)
    })
    const streams = await Promise.all(tokens.map((token) => begin(t, app, as.user(token))))
    const ends = streams.map((stream) => stream())
    await until('the tokens have expired', async () => {
      const responses = tokens.map((token) => app.call('GET', '/auth/me', { as: as.user(token) }))
      return (await Promise.all(responses)).every(({ status }) => status === 401)
    })
    return ends
  }

  test('continues although the token that began it expires, but not without the right', async (t) => {
    const app = await fresh(t)
    const { owner, id } = app.seed
    const stays = await seedUser(app.app, { [app.seed.uuid]: 'viewer' })
    const goes = await seedUser(app.app, { [app.seed.uuid]: 'viewer' })
    const [going, cut] = await outlive(t, app, [stays, goes])
    const path = `/workspaces/${id}/members/${goes.id}`
    assert.equal((await app.call('DELETE', path, { as: as.user(owner.token) })).status, 200)
    assert.equal(await cut, 'cut')
    seen.isEnough = true
    assert.equal(await going, 'ended')
  })

  test('is closed, with no second response in it, when the rest of its request is malformed', async (t) => {
    const app = await fresh(t)
    const socket = connect(app.app.ports.http, '127.0.0.1')
    defer(t, () => socket.destroy())
    let received = ''
    socket.on('data', (bytes: Buffer) => (received += bytes.toString()))
    const ended = once(socket, 'close')
    const [header] = Object.entries(as.platformKey(app.seed.platformKey))
    const row = '{"device_key":"A"}\n'
    socket.write(
      `POST /api/v1/workspaces/${app.seed.id}/devices/import HTTP/1.1\r\nHost: here\r\n` +
        `${header?.join(': ')}\r\nContent-Type: application/x-ndjson\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n${row.length.toString(16)}\r\n${row}\r\n`,
    )
    await until('the first result', () => received.includes('"created"'))
    socket.write('no length\r\n')
    await ended
    assert.equal(received.split('HTTP/1.1').length - 1, 1, received)
  })
})

describe('a large response', () => {
  const fresh = useTenants()

  test('ends with the connection of a client that reads none of it', async (t) => {
    const large = (fastify: FastifyInstance): void => {
      // More than the buffers of the system take.
      fastify.get('/large', (_request, reply) => reply.send(Buffer.alloc(64 * 1_048_576)))
    }
    const server = secondServer(await fresh(t), [], { plugins: [large, destroyStalled(100)] })
    await server.listen({ host: '127.0.0.1', port: 0 })
    defer(t, () => server.close())
    const { port } = server.server.address() as AddressInfo
    const accepted = once(server.server, 'connection')
    const socket = connect(port, '127.0.0.1')
    defer(t, () => socket.destroy())
    socket.write('GET /large HTTP/1.1\r\nHost: here\r\n\r\n')
    const [theirs] = (await accepted) as [Socket]
    await once(theirs, 'close')
  })
})

describe('a body of rows that is refused', () => {
  const fresh = useTenants()

  test('leaves the connection to the next request, unless the rest of it does not come', async (t) => {
    const app = await fresh(t)
    const { id, platformKey } = app.seed
    const socket = connect(app.app.ports.http, '127.0.0.1')
    defer(t, () => socket.destroy())
    let received = ''
    socket.on('data', (bytes: Buffer) => (received += bytes.toString()))
    // It may end with a reset, since not all that it was sent has been read.
    socket.on('error', () => {})
    const ended = new Promise((resolve) => socket.once('close', resolve))
    const refused = (): number => received.split('HTTP/1.1 400 ').length - 1
    const head =
      `POST /api/v1/workspaces/${id}/devices/import HTTP/1.1\r\nHost: x\r\n` +
      `X-API-Key: ${platformKey}\r\nContent-Type: text/csv\r\nContent-Length: 1000000\r\n\r\n`
    socket.write(head + 'no"table'.repeat(125_000))
    await until('the table is refused', () => refused() === 1)
    socket.write('GET /.well-known/jwks.json HTTP/1.1\r\nHost: x\r\n\r\n')
    const next = (count: number) => received.split('HTTP/1.1 200 ').length - 1 === count
    await until('the next one is answered', () => next(1))
    // A body of rows that the route does not take, and that arrives after it was refused.
    socket.write(
      head
        .replace('/devices/import', '/api-keys')
        .replace('Content-Length: 1000000', 'Content-Length: 3'),
    )
    await until('the table is not taken', () => received.includes('HTTP/1.1 415 '))
    socket.write('a,b')
    // Longer than the rest of a body is waited for.
    await sleep(2_500)
    socket.write('GET /.well-known/jwks.json HTTP/1.1\r\nHost: x\r\n\r\n')
    await until('the connection is kept', () => next(2))
    socket.write(head + 'no"table'.repeat(62_500))
    await ended
    assert.equal(refused(), 2)
  })
})
