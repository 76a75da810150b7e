/** The admin side of EMQX, against a record of what its API answers. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { BrokerFailure } from '../../../../src/adapters/broker/admin/failure.ts'
import { createEmqx } from '../../../../src/adapters/broker/emqx/admin.ts'
import type { ExternalBroker } from '../../../../src/adapters/broker/external-port.ts'
import type { ConnectDecision } from '../../../../src/adapters/broker/port.ts'
import { API_KEY, type EmqxClient, type EmqxServer, startEmqxServer } from './emqx-server.ts'

const refused: ConnectDecision = { accepted: false, reason: 'banned' }
const admitted: ConnectDecision = {
  accepted: true,
  grant: {
    principalId: 'dev_1',
    workspaceId: 'ws_1',
    credentialVersion: 1,
    topicPrefix: 'one/sn1',
    isFirst: false,
    expiresAt: null,
    rules: [],
  },
}

const clientOf = (clientid: string, username: string, node = 'emqx@one'): EmqxClient => ({
  clientid,
  username,
  node,
  connected: true,
  connected_at: '2026-11-20T10:00:00.000+00:00',
  ip_address: '10.0.0.1',
  proto_ver: 5,
})

for (const version of ['5.3', '6.2'] as const) {
  describe(`administration of EMQX ${version}`, () => {
    let server: EmqxServer
    let broker: ExternalBroker
    /** For what never comes. */
    let impatient: ExternalBroker
    let decision: ConnectDecision
    before(async () => {
      server = await startEmqxServer(version)
      const open = (timeoutMs: number, settleMs: number) =>
        createEmqx({
          ...API_KEY,
          name: 'emqx',
          url: server.url,
          timeoutMs,
          settleMs,
          authorize: () => Promise.resolve(decision),
        })
      broker = open(60_000, 60_000)
      impatient = open(300, 1_000)
    })
    after(() => server.stop())
    beforeEach(() => {
      decision = refused
      server.lag = 0
      server.clockMs = 0
      server.instead = undefined
      server.calls.length = 0
      server.clients.clear()
      for (const client of [
        clientOf('dev_1', 'dev_1'),
        clientOf('dev_1:a/b', 'dev_1', 'emqx@two'),
        { ...clientOf('dev_1:away', 'dev_1'), connected: false },
        clientOf('dev_2', 'dev_2'),
      ]) {
        server.clients.set(client.clientid, client)
      }
    })

    it("ends every session of a principal on every node, and nobody else's", async () => {
      assert.equal(await broker.verify('dev_1'), false)
      await broker.purge?.('dev_1')
      assert.equal(await broker.disconnect('dev_1', 'not_authorized'), 2)
      assert.deepEqual([...server.clients.keys()], ['dev_2'])
      assert.equal(await broker.verify('dev_1'), true)
      assert.equal(await broker.verify('dev_2'), false)
      const [purge] = server.calls.filter(({ method }) => method === 'POST')
      assert.equal(purge?.path, '/authentication/node_cache/reset')
    })

    it('does not believe a deletion before the client is no longer there', async () => {
      server.lag = 3
      await broker.disconnect('dev_1', 'not_authorized')
      assert.deepEqual([...server.clients.keys()], ['dev_2'])
      const checks = server.calls.filter(({ method, path }) => {
        return method === 'GET' && path === '/clients/dev_1'
      })
      assert.equal(checks.length, 4)
    })

    it('fails when a client that was deleted stays', async () => {
      server.lag = 1_000_000
      await assert.rejects(impatient.disconnect('dev_1', 'not_authorized'), { kind: 'slow' })
      assert.equal(await broker.verify('dev_1'), false)
    })

    it('counts a session that is gone already as ended', async () => {
      server.clients.delete('dev_1:a/b')
      server.clients.delete('dev_1:away')
      let checks = 0
      server.instead = ({ path }) => {
        if (path !== '/clients/dev_1') return undefined
        checks += 1
        return [404, JSON.stringify({ code: 'CLIENTID_NOT_FOUND' })]
      }
      assert.equal(await broker.disconnect('dev_1', 'not_authorized'), 1)
      assert.equal(checks, 2)
    })

    it('keeps new sessions of a principal that is accepted again', async () => {
      decision = admitted
      await broker.disconnect('dev_1', 'administrative')
      const back = { ...clientOf('dev_1', 'dev_1'), connected_at: '2026-11-20T10:00:01.000+00:00' }
      server.clients.set('dev_1', back)
      assert.equal(await broker.verify('dev_1'), true)
      decision = refused
      assert.equal(await broker.verify('dev_1'), false)
    })

    it('lists the connected clients, page by page', async () => {
      for (let number = 0; number < 2_300; number += 1) {
        const name = `dev_many_${number}`
        server.clients.set(name, clientOf(name, name))
      }
      const all = await broker.connections()
      assert.equal(all.length, 2_303)
      assert.deepEqual(await broker.connections('dev_2'), [
        {
          principalId: 'dev_2',
          clientId: 'dev_2',
          address: '10.0.0.1',
          protocolVersion: 5,
          connectedAt: Date.UTC(2026, 10, 20, 10),
          node: 'emqx@one',
        },
      ])
    })

    for (const hours of [0, 5]) {
      it(`ends sessions of an older secret alone, with a clock ${hours} hours off`, async () => {
        decision = admitted
        server.clockMs = hours * 3_600_000
        server.clients.clear()
        const add = (clientid: string, secondsAgo?: number): void => {
          const begun = Date.now() + server.clockMs - (secondsAgo ?? 0) * 1_000
          const received = secondsAgo === undefined ? 'not reported' : new Date(begun).toISOString()
          const client = { ...clientOf(clientid, 'dev_1'), connected_at: received }
          server.clients.set(clientid, client)
        }
        // It was confirmed a minute ago. Just before and after that either secret let in.
        const newer = { since: performance.now() - 60_000, clientId: 'dev_1:new' }
        add('dev_1:old', 70)
        add('dev_1', 60)
        add('dev_1:new', 61)
        add('dev_1:late', 50)
        add('dev_1:untold')
        assert.equal(await broker.disconnect('dev_1', 'administrative', newer), 3)
        assert.deepEqual([...server.clients.keys()], ['dev_1:new', 'dev_1:late'])
        assert.equal(await broker.verify('dev_1'), true)
        add('dev_1:new', 70)
        assert.equal(await broker.disconnect('dev_1', 'administrative', newer), 1)
      })
    }

    it('retries a call that fails a few times', async () => {
      let failures = 2
      server.instead = () => ((failures -= 1) >= 0 ? [503, 'busy'] : undefined)
      assert.equal((await broker.connections('dev_2')).length, 1)
      server.calls.length = 0
      server.instead = () => [503, 'busy']
      await assert.rejects(broker.connections('dev_2'), { kind: 'refused' })
      assert.equal(server.calls.length, 3)
    })

    it('takes no silence, garbage or empty response for a success', async () => {
      const responses = ['silence', [200, 'garbage'], [200, ''], [200, '{}'], [302, '']] as const
      for (const response of responses) {
        server.instead = () => (response === 'silence' ? response : [response[0], response[1]])
        const asked = response === 'silence' ? impatient : broker
        await assert.rejects(asked.verify('dev_1'), BrokerFailure, String(response))
        await assert.rejects(
          asked.disconnect('dev_1', 'not_authorized'),
          BrokerFailure,
          String(response),
        )
      }
    })

    it('reports that its key is wrong, without revealing it, and does not retry', async () => {
      const { url } = server
      const options = { ...API_KEY, name: 'emqx', url, authorize: () => Promise.resolve(decision) }
      const outsider = createEmqx({ ...options, password: 'a wrong secret' })
      const message = /^Broker emqx: GET .* got the response 401; see its admin user name/
      await assert.rejects(outsider.connections(), (error: Error) => {
        return message.test(error.message) && !error.message.includes('wrong secret')
      })
      assert.equal(server.calls.length, 1)
    })
  })
}

describe('EMQX that is not there', () => {
  it('fails every call soon, with an error that names the broker', async () => {
    const broker = createEmqx({
      ...API_KEY,
      name: 'far-away',
      url: 'http://127.0.0.1:1/api/v5',
      authorize: () => Promise.resolve(refused),
    })
    const failure = { kind: 'unreachable', broker: 'far-away' }
    await assert.rejects(broker.disconnect('dev_1', 'not_authorized'), failure)
    await assert.rejects(broker.verify('dev_1'), failure)
    await assert.rejects(async () => broker.purge?.('dev_1'), failure)
  })
})
