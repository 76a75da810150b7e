/** A live RabbitMQ whose hooks are away, slow or out of their mind lets nobody in. */
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connected, refusal } from '../mqtt-clients.ts'
import { lacking } from '../start-program.ts'
import { rabbitmqServer, type StartedRabbitmq, startRabbitmq } from '../start-rabbitmq.ts'
import { TestAuthority } from '../test-authority.ts'

type Handler = (response: ServerResponse) => void

const text =
  (status: number, body: string): Handler =>
  (response) =>
    void response.writeHead(status).end(body)

const MODES: Readonly<Record<string, Handler>> = {
  'hang up': (response) => void response.destroy(),
  'take ten seconds': (response) => void wait(10_000).then(() => response.end('allow')),
  'fail with 500': text(500, 'allow'),
  'answer with nothing': text(200, ''),
  'answer with garbage': text(200, '{"result":"allow"} <html>'),
  'say neither yes nor no': text(200, 'allowed'),
  'point elsewhere': (response) => void response.writeHead(302, { location: '/' }).end('allow'),
  deny: text(200, 'deny'),
}

describe('RabbitMQ', { skip: lacking(rabbitmqServer()) }, () => {
  const credential = new TestAuthority().add('ws_down')
  const options = { protocolVersion: 4 } as const
  let handler = text(200, 'allow')
  const server = createServer((_, response) => handler(response))
  let broker: StartedRabbitmq
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    const hooks = {
      user: `${base}/user`,
      vhost: `${base}/vhost`,
      resource: `${base}/resource`,
      topic: `${base}/topic`,
    }
    broker = await startRabbitmq(hooks, 3_000)
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await broker?.stop()
  })

  it('accepts the clients that its hooks allow', async (t) => {
    const { client } = await connected(t, broker.port, credential, options)
    assert.equal(client.connected, true)
  })

  for (const [words, mode] of Object.entries(MODES)) {
    it(`accepts no client when its hooks ${words}`, async (t) => {
      handler = mode
      await refused(refusal(t, broker.port, credential, options))
    })
  }

  it('accepts no client when the hook is down', async (t) => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await refused(refusal(t, broker.port, credential, options))
  })
})

/** A CONNACK that refuses, or an end without one. */
async function refused(code: Promise<number>): Promise<void> {
  try {
    assert.ok((await code) > 0)
  } catch (error) {
    assert.match(String(error), /There was no CONNACK/)
  }
}
